//! The small groups, for the tests of the CPU engine and of the device code.
//!
//! `derivation.rs` finds everything here anew. A number is four limbs of 64 bits, the least
//! significant first.

/// A group and its scalars.
#[derive(Clone, Copy)]
pub struct Parameters {
    /// The number of points, a prime that is 1 modulo 3 where a is 0.
    pub order: u64,
    /// The curve is y^2 = x^3 - minus_a x + b over the field of secp256k1.
    pub minus_a: u64,
    /// The coefficient b.
    pub b: u64,
    /// x and y of a generator.
    pub g: ([u64; 4], [u64; 4]),
    /// N = order times q, the modulus of the scalars. It is about 0.6 times 2^256, so that every
    /// third x-coordinate is N or more.
    pub n: [u64; 4],
    /// If a is 0, (x, y) -> (beta x, y), with the beta of secp256k1, is multiplication by lambda;
    /// lambda^2 + lambda + 1 = 0 modulo N.
    pub lambda: [u64; 4],
}

/// A group of order 7 on a curve whose a is general, with the scalars of the first of `GROUPS`. The
/// point has this order also where coordinates are rational numbers.
pub const WITH_GENERAL_A: Parameters = Parameters {
    minus_a: 43,
    b: 166,
    g: ([3, 0, 0, 0], [8, 0, 0, 0]),
    ..GROUPS[0]
};

/// A group of order 7 all of whose points other than the identity are images of the simplified SWU
/// map (RFC 9380, section 6.6.2), for any Z: that of d = -23/2 in Tate's family y^2 + (1 - c) x y -
/// b y = x^3 - b x^2 with b = d^3 - d^2 and c = d^2 - d, in which (0, 0) has order 7.
pub const IMAGES_OF_SSWU: Parameters = Parameters {
    minus_a: 62_645_510_827,
    b: 6_035_124_255_915_046,
    g: ([143_947, 0, 0, 0], [423_200, 0, 0, 0]),
    ..GROUPS[0]
};

/// The groups of order 7, 13 and 199 on curves with a = 0.
pub const GROUPS: [Parameters; 3] = [
    Parameters {
        order: 7,
        minus_a: 0,
        b: 6,
        g: (
            [
                0xfb1f_c272_793e_f8cf,
                0x2fed_4171_d0a4_c594,
                0x83f2_29c8_0f99_da9a,
                0xb986_54ee_0ea6_24fe,
            ],
            [
                0x4de6_34b8_bb32_e407,
                0xf1c0_9920_bdfd_4e71,
                0x1d4b_7dcd_fa81_c1c1,
                0x1059_324a_93db_63eb,
            ],
        ),
        n: [
            0xf86c_6a11_d0c1_a895,
            0x1082_276b_f3a2_7251,
            0xf39c_c060_5ced_c834,
            0x9e37_79b9_7f4a_7c15,
        ],
        lambda: [
            0x69fa_5007_6a39_7728,
            0xa580_d2ef_18ab_86bc,
            0x6439_01ff_9029_f803,
            0x6f9e_6783_2aab_e7ef,
        ],
    },
    Parameters {
        order: 13,
        minus_a: 0,
        b: 2,
        g: (
            [
                0xc151_f97c_1290_2b8a,
                0x9624_76b8_7ca0_4bcd,
                0xfa2e_3b40_491d_77e7,
                0x79ee_1c36_aebd_658a,
            ],
            [
                0xe992_c4e5_457b_4bea,
                0x20e7_d556_ea47_5595,
                0xc58f_e33c_11c1_bbc0,
                0x6bda_c934_5c1b_6b6d,
            ],
        ),
        n: [
            0xf86c_6a11_d0c1_b495,
            0x1082_276b_f3a2_7251,
            0xf39c_c060_5ced_c834,
            0x9e37_79b9_7f4a_7c15,
        ],
        lambda: [
            0xdd51_0022_449f_c3e9,
            0x6c6f_76b5_c922_1c35,
            0x7d5e_5666_d1cb_fe05,
            0x4e75_65cf_d348_c581,
        ],
    },
    Parameters {
        order: 199,
        minus_a: 0,
        b: 4,
        g: (
            [
                0xaad5_ada2_17d6_da24,
                0x7185_5450_a719_6ae9,
                0x06d2_ae70_b982_8ade,
                0xf2a7_ab01_3b1b_cc54,
            ],
            [
                0xbd9b_1f81_f41a_72c7,
                0x5a2d_73cc_c523_85d3,
                0x0d8e_8614_71e9_b6e8,
                0xb7cc_fed3_dbed_0096,
            ],
        ),
        n: [
            0xf86c_6a11_d0c2_08b3,
            0x1082_276b_f3a2_7251,
            0xf39c_c060_5ced_c834,
            0x9e37_79b9_7f4a_7c15,
        ],
        lambda: [
            0x85e5_894a_7667_3ff5,
            0x2579_08be_aa0e_eae1,
            0x786a_8158_78a5_c3c5,
            0x9398_7af1_bc45_82b6,
        ],
    },
];
