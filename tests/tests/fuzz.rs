//! A hundred random clusters, a hundred random runs of transactions, and as many of groups, under the rules of
//! `tests::fuzz`. Longer runs are `cargo xtask fuzz`.

#[test]
fn random_clusters_keep_the_rules() {
    (0..100).for_each(tests::fuzz::run);
}

#[test]
fn random_transactions_keep_the_rules() {
    (0..100).for_each(tests::fuzz::transactions::run);
}

#[test]
fn random_groups_keep_the_rules() {
    (0..100).for_each(tests::fuzz::groups::run);
}
