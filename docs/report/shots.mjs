// Pictures of the reports for docs/report.md, made by SHOTS=1 .ci/accessibility.
import { resolve } from "node:path";
import puppeteer from "puppeteer-core";

const [folder] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

async function shot(name, report, { width = 1100, height = 900, scheme = "light", act = async () => ({}) } = {}) {
  const page = await browser.newPage();
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setViewport({ width, height });
  await page.goto(`file://${resolve(`${report}.html`)}`);
  const clip = (await act(page)) ?? {};
  await page.screenshot({ path: `${folder}/${name}.png`, ...clip });
  await page.close();
}

const heading = (words) => async (page) => page.evaluate((text) => {
  const found = [...document.querySelectorAll("h2")].find((one) => one.textContent.includes(text));
  found.scrollIntoView();
}, words);

const figure = (title) => async (page) => page.evaluate((text) => {
  [...document.querySelectorAll("figure h3")].find((one) => one.textContent === text).scrollIntoView();
}, title);

await shot("answer", "cars", { height: 700 });
await shot("along", "cars", { height: 1250, act: heading("Both groups") });
await shot("categories", "insurance", { height: 1150, act: figure("village") });
await shot("narrow", "cars", { width: 390, height: 800, act: heading("How large") });
await shot("dark", "cars", { height: 700, scheme: "dark", act: heading("Pictures of the test") });
await shot("picked", "diabetes", {
  act: async (page) => {
    await heading("Where")(page);
    await page.click("tr[data-zone] button");
    await page.evaluate(() => [...document.querySelectorAll("h2")].find((one) => one.textContent === "Where").scrollIntoView());
    const mark = await page.$("#c0-points-d use:nth-of-type(6)") ?? await page.$("#c0-points-d use");
    const box = await mark.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  },
});
await browser.close();
