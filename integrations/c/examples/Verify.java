import java.nio.file.Files;
import java.nio.file.Path;
import jdk.incubator.foreign.CLinker;
import jdk.incubator.foreign.FunctionDescriptor;
import jdk.incubator.foreign.GroupLayout;
import jdk.incubator.foreign.MemoryAccess;
import jdk.incubator.foreign.MemoryAddress;
import jdk.incubator.foreign.MemoryLayout;
import jdk.incubator.foreign.MemorySegment;
import jdk.incubator.foreign.ResourceScope;
import jdk.incubator.foreign.SegmentAllocator;
import jdk.incubator.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/**
 * Verifies the signatures of Ethereum blocks: {@code Verify LIBRARY ethereum_blocks.rows}.
 *
 * <p>For Java 17, where the interface for foreign functions is an incubator module. From Java 22 on it is
 * {@code java.lang.foreign}, with other names.
 */
public final class Verify {
    /** Bytes of a row: 32 of a digest, 33 of a compressed key, 64 of a signature. */
    private static final int RECORD = 32 + 33 + 64;

    // Of gecc.h.
    private static final int STATUS_OK = 0;
    private static final int CURVE_SECP256K1 = 1;
    private static final int ENCODING_COMPRESSED = 33;
    private static final int POLICY_LOW_S = 1;
    private static final byte CODE_VALID = 1;

    /** GeccRows: data, stride. */
    private static final GroupLayout ROWS = MemoryLayout.structLayout(CLinker.C_POINTER, CLinker.C_LONG);
    /** GeccKeys: data, stride, encoding. */
    private static final GroupLayout KEYS =
            MemoryLayout.structLayout(CLinker.C_POINTER, CLinker.C_LONG, CLinker.C_INT, MemoryLayout.paddingLayout(32));

    private final SymbolLookup library = SymbolLookup.loaderLookup();

    private MethodHandle function(String name, MethodType type, FunctionDescriptor descriptor) {
        MemoryAddress address = library.lookup(name).orElseThrow(() -> new IllegalStateException("no function " + name));
        return CLinker.getInstance().downcallHandle(address, type, descriptor);
    }

    private void check(int status) throws Throwable {
        if (status != STATUS_OK) {
            MethodType type = MethodType.methodType(MemoryAddress.class);
            MethodHandle lastError = function("gecc_last_error", type, FunctionDescriptor.of(CLinker.C_POINTER));
            throw new IllegalStateException(
                    "status " + status + ": " + CLinker.toJavaString((MemoryAddress) lastError.invokeExact()));
        }
    }

    private MemoryAddress newEngine(ResourceScope scope) throws Throwable {
        MethodHandle newEngine = function("gecc_engine_new",
                MethodType.methodType(int.class, MemoryAddress.class, MemoryAddress.class),
                FunctionDescriptor.of(CLinker.C_INT, CLinker.C_POINTER, CLinker.C_POINTER));
        MemorySegment engine = MemorySegment.allocateNative(CLinker.C_POINTER, scope);
        check((int) newEngine.invokeExact(MemoryAddress.NULL, engine.address()));
        return MemoryAccess.getAddress(engine);
    }

    private void freeEngine(MemoryAddress engine) throws Throwable {
        MethodHandle free = function("gecc_engine_free", MethodType.methodType(void.class, MemoryAddress.class),
                FunctionDescriptor.ofVoid(CLinker.C_POINTER));
        free.invokeExact(engine);
    }

    private static MemorySegment column(MemorySegment records, long offset, GroupLayout layout, ResourceScope scope) {
        MemorySegment column = MemorySegment.allocateNative(layout, scope);
        MemoryAccess.setAddressAtOffset(column, 0, records.address().addOffset(offset));
        MemoryAccess.setLongAtOffset(column, 8, RECORD);
        if (layout == KEYS) {
            MemoryAccess.setIntAtOffset(column, 16, ENCODING_COMPRESSED);
        }
        return column;
    }

    /** Prints how many records are valid. */
    private void verify(MemoryAddress engine, MemorySegment records, ResourceScope scope) throws Throwable {
        MethodHandle verify = function("gecc_ecdsa_verify",
                MethodType.methodType(int.class, MemoryAddress.class, int.class, long.class, MemorySegment.class,
                        MemorySegment.class, MemorySegment.class, int.class, MemoryAddress.class),
                FunctionDescriptor.of(CLinker.C_INT, CLinker.C_POINTER, CLinker.C_INT, CLinker.C_LONG, ROWS, ROWS, KEYS,
                        CLinker.C_INT, CLinker.C_POINTER));
        long items = records.byteSize() / RECORD;
        MemorySegment codes = MemorySegment.allocateNative(items, scope);
        check((int) verify.invokeExact(engine, CURVE_SECP256K1, items, column(records, 0, ROWS, scope),
                column(records, 65, ROWS, scope), column(records, 32, KEYS, scope), POLICY_LOW_S, codes.address()));
        long valid = 0;
        for (byte code : codes.toByteArray()) {
            valid += code == CODE_VALID ? 1 : 0;
        }
        System.out.println(valid + " of " + items + " valid");
    }

    public static void main(String[] arguments) throws Throwable {
        System.load(Path.of(arguments[0]).toAbsolutePath().toString());
        Verify gecc = new Verify();
        try (ResourceScope scope = ResourceScope.newConfinedScope()) {
            byte[] file = Files.readAllBytes(Path.of(arguments[1]));
            MemorySegment records = SegmentAllocator.ofScope(scope).allocateArray(CLinker.C_CHAR, file);
            MemoryAddress engine = gecc.newEngine(scope);
            gecc.verify(engine, records, scope);
            MemoryAccess.setByteAtOffset(records, 0, (byte) (file[0] ^ 1));
            gecc.verify(engine, records, scope);
            gecc.freeEngine(engine);
        }
    }
}
