//! A hundred random clusters under the rules of `tests::fuzz`. Longer runs are `cargo xtask fuzz`.

#[test]
fn random_clusters_keep_the_rules() {
    for seed in 0..100 {
        tests::fuzz::run(seed);
    }
}
