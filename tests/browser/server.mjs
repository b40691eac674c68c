// Serves the site as a plain static host would, under a sub-path and the site's policy; and host pages elsewhere.
// It rewrites nothing: what it sends is what lies in dist/.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

// Any sub-path must do; two levels show that no URL is absolute.
export const SUB_PATH = "/sub/path/";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

// Starts the server; `base` ends with the sub-path.
export async function serveSite(dist) {
  const { policy, exceptions } = readHeaders(dist);
  const server = await listen(async (path, response) => {
    const inside = normalize(path.slice(SUB_PATH.length) || "index.html");
    const file = inside.endsWith("/") ? `${inside}index.html` : inside;
    if (!path.startsWith(SUB_PATH) || file.startsWith("..")) {
      throw new Error("outside the site");
    }
    const bytes = await readFile(join(dist, file));
    const headers = { "content-type": TYPES[extname(file)] ?? "text/plain; charset=utf-8", "access-control-allow-origin": "*" };
    if (!exceptions.includes(`/${file}`)) {
      headers["content-security-policy"] = policy;
    }
    response.writeHead(200, headers).end(bytes);
  });
  return { ...server, base: server.origin + SUB_PATH };
}

// A second origin for pages that embed the site; `show(html)` gives the URL of a new page.
export async function serveHosts() {
  const pages = [];
  const server = await listen(async (path, response) => {
    const html = pages[Number(path.slice(1))];
    if (html === undefined) {
      throw new Error("no such page");
    }
    response.writeHead(200, { "content-type": TYPES[".html"] }).end(html);
  });
  return { ...server, show: (html) => `${server.origin}/${pages.push(html) - 1}` };
}

async function listen(answer) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    answer(path, response).catch(() => response.writeHead(404, { "content-type": "text/plain" }).end("There is no such file.\n"));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((closed) => {
      server.closeAllConnections();
      server.close(closed);
    }),
  };
}

// The policy and the pages without it, from the site's own `_headers`.
function readHeaders(dist) {
  const lines = readFileSync(join(dist, "_headers"), "utf8").split("\n");
  const header = "Content-Security-Policy";
  const exceptions = [];
  let policy;
  let path;
  for (const line of lines) {
    if (line.startsWith("/")) path = line.trim();
    if (line.trim().startsWith(`${header}:`)) policy = line.trim().slice(header.length + 1).trim();
    if (line.trim() === `! ${header}`) exceptions.push(path);
  }
  return { policy, exceptions };
}
