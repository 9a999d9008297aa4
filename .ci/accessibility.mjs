// Validate reports and look at them as axe-core does: node check.mjs RECORD REPORT...
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { HtmlValidate } from "html-validate";
import puppeteer from "puppeteer-core";

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [record, ...files] = process.argv.slice(2);
const serious = new Set(["serious", "critical"]);

// Inline styles are how matplotlib colours SVG; spaces at the end of a line are nobody's business.
const rules = {
  extends: ["html-validate:standard"],
  rules: { "no-inline-style": "off", "no-trailing-whitespace": "off", "long-title": "off" },
};
const validator = new HtmlValidate(rules);

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const found = {};
let faults = 0;
for (const file of files) {
  const own = { validator: [], axe: {}, console: [] };
  const report = await validator.validateString(readFileSync(file, "utf8"));
  own.validator = report.results.flatMap((result) => result.messages.map((one) => `${one.line}: ${one.ruleId}: ${one.message}`));
  const vnu = spawnSync("java", ["-jar", "node_modules/vnu-jar/build/dist/vnu.jar", "--errors-only", "--format", "json", file]);
  own.vnu = vnu.error ? "no Java here" : JSON.parse(String(vnu.stderr)).messages.map((one) => `${one.lastLine}: ${one.message}`);
  faults += report.errorCount + (vnu.error ? 0 : own.vnu.length);
  for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
    const page = await browser.newPage();
    page.on("console", (line) => own.console.push(line.text()));
    page.on("pageerror", (error) => own.console.push(error.message));
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.setViewport({ width, height: 900 });
    await page.goto(`file://${resolve(file)}`);
    own.console = [...new Set(own.console)];
    await page.setBypassCSP(true);
    await page.reload();
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
    own.axe[`${width} ${scheme}`] = {
      passed: passes.length,
      violations: violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.length, first: nodes[0].html.slice(0, 200) })),
    };
    faults += violations.filter(({ impact }) => serious.has(impact)).length;
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) {
      own.console.push(`wider than ${width}: ${wide}`);
    }
    await page.close();
  }
  faults += own.console.length;
  found[basename(file)] = own;
}
await browser.close();
const versions = Object.fromEntries(
  ["axe-core", "html-validate", "vnu-jar"].map((name) => [name, JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version]),
);
writeFileSync(record, `${JSON.stringify({ versions, faults, reports: found }, null, 1)}\n`);
for (const [file, own] of Object.entries(found)) {
  const all = Object.values(own.axe).flatMap((one) => one.violations);
  console.log(`${file}: html-validate ${own.validator.length}, vnu ${own.vnu.length}, axe ${all.length}, console ${own.console.length}`);
  for (const line of [...own.validator, ...own.vnu].slice(0, 10)) console.log(`  ${line}`);
  for (const one of all) console.log(`  ${one.impact} ${one.id}: ${one.nodes} x ${one.first}`);
  for (const line of own.console) console.log(`  ${line}`);
}
process.exitCode = faults ? 1 : 0;
