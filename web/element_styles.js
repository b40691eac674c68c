// The one stylesheet that all widgets of a page share, made from the site's own style files.
// No rule is written here.

const FILES = [
  "styles/tokens.css",
  "styles/base.css",
  "styles/controls.css",
  "styles/stage.css",
  "styles/panels.css",
  "styles/transactions.css",
  "styles/pages.css",
  "styles/size.css",
  "styles/assign.css",
  "styles/widget.css",
];

let sheet = null;

// Gives a shadow root the shared stylesheet.
export async function adoptStyles(shadow, loadText) {
  sheet ??= make(loadText).catch((error) => {
    sheet = null;
    throw error;
  });
  const shared = await sheet;
  if (!shadow.adoptedStyleSheets.includes(shared)) shadow.adoptedStyleSheets.push(shared);
}

async function make(loadText) {
  const texts = await Promise.all(FILES.map((file) => loadText(file)));
  const shared = new CSSStyleSheet();
  const [tokens, ...rules] = texts.map((text) => inside(text));
  shared.replaceSync([settable(tokens), ...rules].join("\n"));
  return shared;
}

// Rules for the page's root hold for the widget.
function inside(text) {
  return text.replace(/:root\[([^\]]*)\]/g, ":host([$1])").replace(/:root/g, ":host");
}

// Every token can be set from outside as `--logarium-NAME`.
function settable(tokens) {
  return tokens.replace(/--([a-z0-9-]+):\s*([^;]+);/g, "--$1: var(--logarium-$1, $2);");
}
