// Verifies the signatures of Ethereum blocks: `verify ethereum_blocks.rows`.
package main

// #cgo LDFLAGS: -lgecc
// #include <gecc.h>
import "C"

import (
	"fmt"
	"os"
	"runtime"
)

// Bytes of a row: 32 of a digest, 33 of a compressed key, 64 of a signature.
const record = 32 + 33 + 64

// lastError is of the thread that called, so that calls which may fail are made with the thread locked.
func lastError(status C.GeccStatus) error {
	return fmt.Errorf("status %d: %s", int(status), C.GoString(C.gecc_last_error()))
}

func newEngine() (*C.GeccEngine, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var engine *C.GeccEngine
	if status := C.gecc_engine_new(nil, &engine); status != C.GECC_STATUS_OK {
		return nil, lastError(status)
	}
	return engine, nil
}

// verify gives a code for each record, of which there is at least one. The records and codes are Go's: the library uses
// them only during the call.
func verify(engine *C.GeccEngine, records []byte) ([]byte, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	codes := make([]byte, len(records)/record)
	column := func(offset int) C.GeccRows {
		return C.GeccRows{data: (*C.uint8_t)(&records[offset]), stride: record}
	}
	keys := C.GeccKeys{data: (*C.uint8_t)(&records[32]), stride: record, encoding: C.GECC_KEY_ENCODING_COMPRESSED}
	status := C.gecc_ecdsa_verify(engine, C.GECC_CURVE_SECP256K1, C.size_t(len(codes)), column(0), column(65), keys,
		C.GECC_POLICY_LOW_S, (*C.uint8_t)(&codes[0]))
	if status != C.GECC_STATUS_OK {
		return nil, lastError(status)
	}
	return codes, nil
}

func printCount(engine *C.GeccEngine, records []byte) error {
	codes, err := verify(engine, records)
	if err != nil {
		return err
	}
	valid := 0
	for _, code := range codes {
		if code == C.GECC_CODE_VALID {
			valid++
		}
	}
	fmt.Printf("%d of %d valid\n", valid, len(codes))
	return nil
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: verify FILE, with rows of %d bytes", record)
	}
	records, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	if len(records) < record {
		return fmt.Errorf("%s has no row of %d bytes", os.Args[1], record)
	}
	engine, err := newEngine()
	if err != nil {
		return err
	}
	defer C.gecc_engine_free(engine)
	if err := printCount(engine, records); err != nil {
		return err
	}
	records[0] ^= 1
	return printCount(engine, records)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
