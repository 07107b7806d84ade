//! SM2 by OpenSSL 3: the system's libcrypto, opened at run time, so that nothing has to be
//! installed to build the tests.

use super::Oracle;
use gecc::{signature_from_der, signature_to_der};
use libloading::Library;
use std::ffi::c_void;
use std::ptr::null_mut;

type Pointer = *mut c_void;

/// Declares functions of the library.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case, reason = "the names are those of the library")]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the types are those of the headers of OpenSSL 3.0.
                Ok(Functions { $($name: *unsafe { library.get(concat!(stringify!($name), "\0"))? },)* })
            }
        }
    };
}

functions! {
    BN_bin2bn(*const u8, i32, Pointer) -> Pointer;
    BN_free(Pointer);
    EC_GROUP_new_by_curve_name(i32) -> Pointer;
    EC_GROUP_free(Pointer);
    EC_POINT_new(Pointer) -> Pointer;
    EC_POINT_free(Pointer);
    EC_POINT_oct2point(Pointer, Pointer, *const u8, usize, Pointer) -> i32;
    EC_POINT_point2oct(Pointer, Pointer, i32, *mut u8, usize, Pointer) -> usize;
    EC_POINT_mul(Pointer, Pointer, Pointer, Pointer, Pointer, Pointer) -> i32;
    d2i_PUBKEY(*mut Pointer, *mut *const u8, i64) -> Pointer;
    d2i_AutoPrivateKey(*mut Pointer, *mut *const u8, i64) -> Pointer;
    EVP_PKEY_free(Pointer);
    EVP_PKEY_CTX_new(Pointer, Pointer) -> Pointer;
    EVP_PKEY_CTX_free(Pointer);
    EVP_PKEY_sign_init(Pointer) -> i32;
    EVP_PKEY_sign(Pointer, *mut u8, *mut usize, *const u8, usize) -> i32;
    EVP_PKEY_verify_init(Pointer) -> i32;
    EVP_PKEY_verify(Pointer, *const u8, usize, *const u8, usize) -> i32;
}

/// NID_sm2.
const SM2: i32 = 1172;
/// POINT_CONVERSION_UNCOMPRESSED.
const UNCOMPRESSED: i32 = 4;

/// SubjectPublicKeyInfo of id-ecPublicKey on 1.2.156.10197.1.301 (RFC 5480), up to the point.
const PUBLIC_KEY: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x81, 0x1c, 0xcf, 0x55, 0x01, 0x82, 0x2d, 0x03, 0x42, 0x00,
];
/// ECPrivateKey (RFC 5915), before and after the number.
const PRIVATE_KEY: [&[u8]; 2] = [
    &[0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20],
    &[
        0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x82, 0x2d,
    ],
];

/// Parses a key in DER.
type Parse = unsafe extern "C" fn(*mut Pointer, *mut *const u8, i64) -> Pointer;

/// The functions that are called, from a library that stays open.
pub struct OpenSsl {
    functions: Functions,
    _library: Library,
}

/// An object of the library, freed when it is dropped.
struct Object {
    pointer: Pointer,
    free: unsafe extern "C" fn(Pointer),
}

impl Object {
    fn new(pointer: Pointer, free: unsafe extern "C" fn(Pointer)) -> Self {
        assert!(
            !pointer.is_null(),
            "OpenSSL refuses its arguments, or is out of memory"
        );
        Object { pointer, free }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the object came from the library, is freed by its own function, and is not used
        // any more.
        unsafe { (self.free)(self.pointer) }
    }
}

impl OpenSsl {
    /// The system's library, if it supports keys of SM2: those of some systems do not.
    pub fn open() -> Result<Self, String> {
        // SAFETY: OpenSSL may be initialised and used from any thread.
        let library =
            unsafe { Library::new("libcrypto.so.3") }.map_err(|problem| problem.to_string())?;
        let functions = Functions::of(&library).map_err(|problem| problem.to_string())?;
        let opened = OpenSsl {
            functions,
            _library: library,
        };
        if opened.takes_keys() {
            Ok(opened)
        } else {
            Err("libcrypto refuses keys of SM2".to_owned())
        }
    }

    fn takes_keys(&self) -> bool {
        let f = &self.functions;
        // SAFETY: a curve is looked up by its number, and the group, if there is one, is freed.
        let has_group = unsafe {
            let group = (f.EC_GROUP_new_by_curve_name)(SM2);
            (f.EC_GROUP_free)(group);
            !group.is_null()
        };
        let [before, after] = PRIVATE_KEY;
        has_group
            && self.takes_key(f.d2i_AutoPrivateKey, &[before, &[1; 32], after].concat())
            && self.takes_key(
                f.d2i_PUBKEY,
                &[&PUBLIC_KEY[..], &self.public_key(&[1; 32])].concat(),
            )
    }

    fn takes_key(&self, parse: Parse, der: &[u8]) -> bool {
        let mut start = der.as_ptr();
        // SAFETY: as in `context`; a key, if there is one, is freed.
        unsafe {
            let key = parse(null_mut(), &mut start, der.len() as i64);
            (self.functions.EVP_PKEY_free)(key);
            !key.is_null()
        }
    }

    /// Returns secret G, or secret P if P is given.
    fn multiply(&self, secret: &[u8; 32], point: Option<&[u8]>) -> [u8; 65] {
        let f = &self.functions;
        let mut bytes = [0; 65];
        // SAFETY: every object is alive, lengths are those of the slices, and null stands for
        // absent arguments: for a context of temporary numbers everywhere.
        unsafe {
            let group = Object::new((f.EC_GROUP_new_by_curve_name)(SM2), f.EC_GROUP_free);
            let scalar = Object::new((f.BN_bin2bn)(secret.as_ptr(), 32, null_mut()), f.BN_free);
            let [base, product] =
                [(); 2].map(|()| Object::new((f.EC_POINT_new)(group.pointer), f.EC_POINT_free));
            let done = match point {
                None => (f.EC_POINT_mul)(
                    group.pointer,
                    product.pointer,
                    scalar.pointer,
                    null_mut(),
                    null_mut(),
                    null_mut(),
                ),
                Some(point) => {
                    let read = (f.EC_POINT_oct2point)(
                        group.pointer,
                        base.pointer,
                        point.as_ptr(),
                        point.len(),
                        null_mut(),
                    );
                    assert_eq!(read, 1, "the point is on the curve");
                    (f.EC_POINT_mul)(
                        group.pointer,
                        product.pointer,
                        null_mut(),
                        base.pointer,
                        scalar.pointer,
                        null_mut(),
                    )
                }
            };
            assert_eq!(done, 1);
            let length = (f.EC_POINT_point2oct)(
                group.pointer,
                product.pointer,
                UNCOMPRESSED,
                bytes.as_mut_ptr(),
                65,
                null_mut(),
            );
            assert_eq!(length, 65);
        }
        bytes
    }

    /// A context for a key in DER, and the key.
    fn context(&self, parse: Parse, der: &[u8]) -> (Object, Object) {
        let f = &self.functions;
        let mut start = der.as_ptr();
        // SAFETY: `start` and the length are those of the slice, and null requests a new object.
        unsafe {
            let key = Object::new(
                parse(null_mut(), &mut start, der.len() as i64),
                f.EVP_PKEY_free,
            );
            (
                Object::new(
                    (f.EVP_PKEY_CTX_new)(key.pointer, null_mut()),
                    f.EVP_PKEY_CTX_free,
                ),
                key,
            )
        }
    }
}

impl Oracle for OpenSsl {
    fn public_key(&self, secret: &[u8; 32]) -> [u8; 65] {
        self.multiply(secret, None)
    }

    fn sign(&self, secret: &[u8; 32], digest: &[u8; 32]) -> [u8; 64] {
        let f = &self.functions;
        let [before, after] = PRIVATE_KEY;
        let (context, _key) = self.context(f.d2i_AutoPrivateKey, &[before, secret, after].concat());
        let mut der = [0; 72];
        let mut length = der.len();
        // SAFETY: the context and the slices are alive, and `length` is the room for a signature,
        // which becomes its length.
        unsafe {
            assert_eq!((f.EVP_PKEY_sign_init)(context.pointer), 1);
            let done = (f.EVP_PKEY_sign)(
                context.pointer,
                der.as_mut_ptr(),
                &mut length,
                digest.as_ptr(),
                32,
            );
            assert_eq!(done, 1);
        }
        signature_from_der(&der[..length]).expect("DER")
    }

    fn verifies(&self, digest: &[u8; 32], signature: &[u8; 64], key: &[u8]) -> bool {
        let f = &self.functions;
        let (context, _key) = self.context(f.d2i_PUBKEY, &[&PUBLIC_KEY, key].concat());
        let der = signature_to_der(signature);
        // SAFETY: the context and the slices are alive.
        unsafe {
            assert_eq!((f.EVP_PKEY_verify_init)(context.pointer), 1);
            (f.EVP_PKEY_verify)(
                context.pointer,
                der.as_ptr(),
                der.len(),
                digest.as_ptr(),
                32,
            ) == 1
        }
    }

    fn shared_x(&self, secret: &[u8; 32], peer: &[u8]) -> [u8; 32] {
        let product = self.multiply(secret, Some(peer));
        *product[1..].first_chunk().expect("64 bytes")
    }
}
