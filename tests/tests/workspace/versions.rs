//! One place for each version: the root `Cargo.toml`. Cargo.lock and Trunk.toml agree with it, nothing else names one.
//!
//! That the tools themselves have these versions is proved by `cargo xtask test`, where trunk refuses any other.

use crate::sources;

fn table(path: &str) -> toml::Table {
    sources::read(path).parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn tool(name: &str) -> String {
    let manifest = table("Cargo.toml");
    let version = &manifest["workspace"]["metadata"]["tools"][name];
    version.as_str().expect("a version in quotes").to_owned()
}

/// The versions of a package in the lock file.
fn locked(name: &str) -> Vec<String> {
    let lock = table("Cargo.lock");
    let packages = lock["package"].as_array().expect("packages");
    let found = packages.iter().filter(|package| package["name"].as_str() == Some(name));
    found.map(|package| package["version"].as_str().expect("a version").to_owned()).collect()
}

/// Dependencies of the workspace with an exact version, without its `=`.
fn exact() -> Vec<(String, String)> {
    let manifest = table("Cargo.toml");
    let dependencies = manifest["workspace"]["dependencies"].as_table().expect("dependencies");
    let version = |value: &toml::Value| value.as_str().or_else(|| value.get("version")?.as_str()).map(str::to_owned);
    dependencies
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), version(value)?.strip_prefix('=')?.to_owned())))
        .collect()
}

#[test]
fn the_lock_file_holds_every_exact_version_and_no_second_one() {
    let exact = exact();
    assert!(exact.iter().any(|(name, _)| name == "wasm-bindgen"), "wasm-bindgen is exact");
    for (name, version) in exact {
        assert_eq!(locked(&name), [version], "{name} in Cargo.lock");
    }
}

#[test]
fn wasm_bindgen_is_one_version_in_all_its_parts() {
    let parts = [
        "wasm-bindgen",
        "wasm-bindgen-macro",
        "wasm-bindgen-macro-support",
        "wasm-bindgen-shared",
        "wasm-bindgen-cli-support",
    ];
    let expected = locked("wasm-bindgen");
    for part in parts {
        assert_eq!(locked(part), expected, "{part}");
    }
}

#[test]
fn trunk_asks_for_the_same_tools() {
    let trunk = table("Trunk.toml");
    let binaryen_major = tool("binaryen").split('.').next().map(|major| format!("version_{major}"));
    assert_eq!(trunk["trunk-version"].as_str(), Some(tool("trunk").as_str()));
    assert_eq!(trunk["tools"]["wasm_bindgen"].as_str().map(str::to_owned), locked("wasm-bindgen").pop());
    assert_eq!(trunk["tools"]["wasm_opt"].as_str().map(str::to_owned), binaryen_major);
}

#[test]
fn no_program_names_the_version_of_a_tool() {
    let mut versions: Vec<String> = ["trunk", "binaryen", "playwright-core", "axe-core"].map(tool).into();
    versions.extend(locked("wasm-bindgen"));
    let broken: Vec<String> = sources::with_extension(&["rs", "mjs", "js", "sh", ""])
        .iter()
        .filter(|source| versions.iter().any(|version| source.text.contains(version.as_str())))
        .map(|source| source.path.clone())
        .collect();
    sources::assert_none(&broken, "versions of tools are read from Cargo.toml");
}
