//! Joins our JavaScript modules into one script for pages that can load no second file.
//!
//! Statements of `import` and `export` must begin a line and end with `;`, as in our files and in what wasm-bindgen
//! writes; anything else is refused by name. It is not a bundler: no renaming, no cycles, no `export let`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

/// One script that runs `entry` after all that it imports; `read` gives the text of a module by its file name.
pub fn link(entry: &str, read: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut modules = BTreeMap::new();
    collect(entry, &read, &mut Vec::new(), &mut modules)?;
    let mut script = String::from("const __modules = {};\n");
    for (name, module) in &modules {
        script.push_str(&format!("__modules[{name:?}] = async (__exports) => {{\n{}}};\n", module.body));
    }
    script.push_str(RUNTIME);
    script.push_str(&format!("await __load({entry:?});\n"));
    Ok(script)
}

/// The files that `entry` reaches by imports, itself included.
pub fn reachable(entry: &str, read: impl Fn(&str) -> Result<String>) -> Result<Vec<String>> {
    let mut modules = BTreeMap::new();
    collect(entry, &read, &mut Vec::new(), &mut modules)?;
    Ok(modules.into_keys().collect())
}

/// Each module runs once, when it is first asked for, unless a fresh one is wanted.
const RUNTIME: &str = "\
const __loaded = {};
const __run = async (name) => {
  const exports = {};
  await __modules[name](exports);
  return exports;
};
const __load = (name) => (__loaded[name] ??= __run(name));
";

struct Module {
    body: String,
    imports: Vec<String>,
}

fn collect(
    name: &str,
    read: &impl Fn(&str) -> Result<String>,
    path: &mut Vec<String>,
    modules: &mut BTreeMap<String, Module>,
) -> Result<()> {
    ensure!(
        !path.iter().any(|above| above == name),
        "modules import each other in a circle: {} > {name}",
        path.join(" > ")
    );
    if modules.contains_key(name) {
        return Ok(());
    }
    let module = rewrite(&read(name)?).with_context(|| format!("cannot join {name}"))?;
    path.push(name.to_owned());
    for import in &module.imports {
        collect(import, read, path, modules)?;
    }
    path.pop();
    modules.insert(name.to_owned(), module);
    Ok(())
}

fn rewrite(source: &str) -> Result<Module> {
    let mut module = Module { body: String::new(), imports: Vec::new() };
    let mut exports = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let is_statement = line.starts_with("import ") || line.starts_with("export {") || line.starts_with("export * ");
        if is_statement || line.starts_with("import{") || line.starts_with("import\"") {
            let mut statement = line.to_owned();
            while !statement.trim_end().ends_with(';') {
                let next = lines.next().with_context(|| format!("{line:?} has no `;` at its end"))?;
                statement.push(' ');
                statement.push_str(next.trim());
            }
            rewrite_statement(statement.trim_end().trim_end_matches(';'), &mut module, &mut exports)?;
        } else if let Some(declaration) = line.strip_prefix("export ") {
            rewrite_declaration(declaration, &mut module.body, &mut exports)?;
        } else {
            module.body.push_str(line);
            module.body.push('\n');
        }
    }
    module.body =
        rewrite_dynamic_imports(&module.body, &mut module.imports)?.replace("import.meta.url", "document.baseURI");
    for (exported, value) in exports {
        module.body.push_str(&format!("__exports[{exported:?}] = {value};\n"));
    }
    Ok(module)
}

/// `import a, { b as c } from "./m.js"`, `import * as m from`, `import "./m.js"`, `export { a as b }`.
fn rewrite_statement(statement: &str, module: &mut Module, exports: &mut Vec<(String, String)>) -> Result<()> {
    if let Some(list) = statement.strip_prefix("export {") {
        let list = list
            .trim()
            .strip_suffix('}')
            .with_context(|| format!("cannot read {statement:?}: export what is imported in two statements"))?;
        for (local, exported) in names(list)? {
            exports.push((exported, local));
        }
        return Ok(());
    }
    let import = statement.strip_prefix("import").with_context(|| format!("cannot read {statement:?}"))?.trim();
    let (what, file) = match import.rsplit_once(" from ") {
        Some((what, file)) => (what.trim(), file),
        None => ("", import),
    };
    let file = file_name(file.trim())?;
    let load = format!("await __load({file:?});\n");
    module.imports.push(file);
    if what.is_empty() {
        module.body.push_str(&load);
    } else if let Some(namespace) = what.strip_prefix("* as ") {
        module.body.push_str(&format!("const {} = {load}", namespace.trim()));
    } else {
        module.body.push_str(&format!("const {{ {} }} = {load}", bindings(what)?));
    }
    Ok(())
}

/// What stands between `import` and `from`, as a destructuring pattern.
fn bindings(what: &str) -> Result<String> {
    let (default, list) = match what.split_once('{') {
        Some((default, list)) => {
            let list = list.trim().strip_suffix('}').with_context(|| format!("cannot read {{{list:?}"))?;
            (default.trim().trim_end_matches(',').trim(), names(list)?)
        }
        None => (what, Vec::new()),
    };
    let mut pattern: Vec<String> = list.into_iter().map(|(from, to)| format!("{from:?}: {to}")).collect();
    if !default.is_empty() {
        pattern.insert(0, format!("default: {default}"));
    }
    Ok(pattern.join(", "))
}

/// `a, b as c` as pairs of old and new name.
fn names(list: &str) -> Result<Vec<(String, String)>> {
    list.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (from, to) = part.split_once(" as ").unwrap_or((part, part));
            ensure!(is_name(from.trim()) && is_name(to.trim()), "cannot read the name in {part:?}");
            Ok((from.trim().to_owned(), to.trim().to_owned()))
        })
        .collect()
}

fn rewrite_declaration(declaration: &str, body: &mut String, exports: &mut Vec<(String, String)>) -> Result<()> {
    let (text, is_default) = match declaration.strip_prefix("default ") {
        Some(text) => (text, true),
        None => (declaration, false),
    };
    let name = ["async function ", "function ", "class ", "const "].into_iter().find_map(|keyword| {
        let rest = text.strip_prefix(keyword)?.trim_start_matches("* ");
        let end = rest.find(|c: char| !is_name_character(c)).unwrap_or(rest.len());
        Some(&rest[..end])
    });
    match name {
        Some(name) if is_name(name) => {
            body.push_str(text);
            body.push('\n');
            exports.push((if is_default { "default" } else { name }.to_owned(), name.to_owned()));
        }
        _ if is_default && is_name(text.trim_end_matches(';')) => {
            exports.push(("default".to_owned(), text.trim_end_matches(';').to_owned()));
        }
        _ => bail!("cannot join \"export {declaration}\": export a named function, class or const"),
    }
    Ok(())
}

/// `import("./m.js")` becomes a call of the runtime, and so does `` import(`./m.js?fresh=${n}`) ``, which runs the module
/// once more with a state of its own. What only Node can load stays as it is.
fn rewrite_dynamic_imports(source: &str, imports: &mut Vec<String>) -> Result<String> {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("import(") {
        out.push_str(&rest[..at]);
        let argument = &rest[at + "import(".len()..];
        let end = argument.find(')').context("import( without )")?;
        let specifier = &argument[..end];
        rest = &argument[end + 1..];
        if specifier.starts_with("\"node:") {
            out.push_str(&format!("import({specifier})"));
            continue;
        }
        let fresh = specifier.strip_prefix('`').and_then(|text| text.split_once("?fresh="));
        let (call, file) = match fresh {
            Some((file, _)) => ("__run", file_name(&format!("\"{file}\""))?),
            None => ("__load", file_name(specifier)?),
        };
        out.push_str(&format!("{call}({file:?})"));
        imports.push(file);
    }
    out.push_str(rest);
    Ok(out)
}

/// The file of a quoted specifier that stands for a file beside the importer.
fn file_name(quoted: &str) -> Result<String> {
    let inner = quoted
        .strip_prefix(['"', '\''])
        .and_then(|text| text.strip_suffix(['"', '\'']))
        .with_context(|| format!("expected a quoted file, got {quoted}"))?;
    let file = inner
        .strip_prefix("./")
        .with_context(|| format!("{inner:?} is not a file beside the importer (\"./name.js\")"))?;
    Ok(file.to_owned())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_name_character)
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::{link, rewrite};

    fn check(source: &str, expected: &str) {
        let module = rewrite(source).expect("a module that can be joined");
        assert_eq!(module.body, expected, "{source}");
    }

    #[test]
    fn imports_become_loads() {
        check("import a from \"./m.js\";", "const { default: a } = await __load(\"m.js\");\n");
        check(
            "import a, {\n  b as c,\n  d,\n} from './m.js';",
            "const { default: a, \"b\": c, \"d\": d } = await __load(\"m.js\");\n",
        );
        check("import * as m from \"./m.js\";", "const m = await __load(\"m.js\");\n");
        check("import \"./m.js\";", "await __load(\"m.js\");\n");
        check("const m = await import(\"./m.js\");", "const m = await __load(\"m.js\");\n");
    }

    #[test]
    fn dynamic_imports_can_ask_for_a_fresh_module_or_for_node() {
        check("f(import(`./m.js?fresh=${n}`));", "f(__run(\"m.js\"));\n");
        check("f(import(\"node:fs\"));", "f(import(\"node:fs\"));\n");
    }

    #[test]
    fn exports_become_properties() {
        check("export function f() {}", "function f() {}\n__exports[\"f\"] = f;\n");
        check("export default async function init(o) {", "async function init(o) {\n__exports[\"default\"] = init;\n");
        check("export { a, b as default };", "__exports[\"a\"] = a;\n__exports[\"default\"] = b;\n");
        check("export const k = 1;", "const k = 1;\n__exports[\"k\"] = k;\n");
        check("export default f;", "__exports[\"default\"] = f;\n");
    }

    #[test]
    fn what_cannot_be_joined_is_refused() {
        let refuse = |source: &str, part: &str| {
            let refused = rewrite(source).err().unwrap_or_else(|| panic!("{source} is refused"));
            assert!(format!("{refused:#}").contains(part), "{source}: {refused:#}");
        };
        refuse("export let counter = 0;", "export let counter");
        refuse("import yew from \"yew\";", "not a file beside");
        refuse("export { a } from \"./m.js\";", "two statements");
        refuse("import a from \"./m.js\"", "no `;`");
    }

    #[test]
    fn a_circle_is_named() {
        let read = |name: &str| Ok(if name == "a.js" { "import \"./b.js\";" } else { "import \"./a.js\";" }.to_owned());
        let refused = link("a.js", read).expect_err("a circle");
        assert!(format!("{refused:#}").contains("a.js > b.js > a.js"), "{refused:#}");
    }
}
