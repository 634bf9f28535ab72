/** The styles of the pages, one file for all of them. */
import { hash } from 'node:crypto';
import { isColour, textColourOn } from '../../brand/colour.ts';

/** The accent of a shop without its own. */
const DEFAULT_ACCENT = '#0b6a5b';

const STYLES = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f3f5f4, #0d1012);
  --page: light-dark(#ffffff, #161b1e);
  --panel: light-dark(#eff2f1, #20272b);
  --shade: light-dark(0 1px 2px #1b222514, 0 0 0 #0000);
  --text: light-dark(#1b2225, #e4e9ea);
  --quiet: light-dark(#525d64, #a3afb5);
  --line: light-dark(#dde3e0, #2f393e);
  --edge: light-dark(#737d83, #8a969c);
  --good: light-dark(#14623a, #7fd6a4);
  --good-tint: light-dark(#e7f4ec, #143022);
  --bad: light-dark(#a11f18, #f4a19a);
  --bad-tint: light-dark(#fdeeec, #3c1d1b);
}
*, ::before, ::after { box-sizing: border-box; }
html { font: 100%/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; border-top: 4px solid var(--accent); background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
.skip, .unseen { position: absolute; left: -99rem; }
.skip:focus { left: .5rem; top: .5rem; padding: .5rem .75rem; background: var(--page); }
header, main, footer { width: min(44rem, 100% - 2rem); margin: 0 auto; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; justify-content: space-between; padding-block: 1.25rem; }
.brand { display: inline-flex; gap: .625rem; align-items: center; min-height: 2.75rem; color: inherit; font-weight: 650; font-size: 1.0625rem; text-decoration: none; }
.brand img { display: block; max-width: 9rem; max-height: 2.5rem; }
.session { display: flex; flex-wrap: wrap; gap: .25rem .875rem; align-items: center; color: var(--quiet); font-size: .875rem; }
.session p { margin: 0; }
main { padding-block: 1rem 3rem; }
h1 { margin: 0 0 1rem; font-size: 1.875rem; line-height: 1.2; letter-spacing: -.015em; }
h2 { margin: 2.25rem 0 .625rem; font-size: 1.1875rem; line-height: 1.3; }
p, dl, ul { margin: 0 0 1rem; }
a { color: inherit; text-underline-offset: .2em; text-decoration-color: var(--edge); }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; border-radius: 4px; }
.quiet { color: var(--quiet); }
.small { font-size: .875rem; }
form { margin: 0; }
label { display: block; margin: 1.25rem 0 .25rem; font-weight: 600; }
.hint { margin: 0 0 .375rem; color: var(--quiet); font-size: .875rem; }
input, textarea { display: block; width: 100%; max-width: 26rem; min-height: 3rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--page); color: inherit; font: inherit; }
textarea { max-width: none; min-height: 9rem; font: .875rem/1.45 ui-monospace, Menlo, Consolas, monospace; }
.code { max-width: 15rem; font: 1.25rem/1.4 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .08em; text-transform: uppercase; }
[aria-invalid] { border: 2px solid var(--bad); }
.wrong { display: flex; gap: .5rem; margin: 0 0 .375rem; color: var(--bad); font-weight: 600; }
.wrong::before { content: "!"; flex: none; width: 1.25rem; height: 1.25rem; margin-top: .15rem; border-radius: 50%; background: var(--bad); color: var(--page); font-size: .875rem; line-height: 1.25rem; text-align: center; }
button, .button { display: inline-block; max-width: 100%; min-height: 2.875rem; padding: .625rem 1.125rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--page); color: inherit; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { border-color: var(--text); }
.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.main:hover { border-color: var(--text); }
.plain { min-height: 1.75rem; padding: 0; border: 0; background: none; font-weight: 400; text-decoration: underline; text-decoration-color: var(--edge); text-underline-offset: .2em; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin: 1.25rem 0; }
.notice { margin: 0 0 1.25rem; padding: .75rem 1rem; border-left: 4px solid var(--edge); border-radius: 4px; background: var(--panel); }
.notice.good { border-color: var(--good); background: var(--good-tint); }
.notice.bad { border-color: var(--bad); background: var(--bad-tint); }
.notice p:last-child { margin: 0; }
.cards { display: grid; gap: 1rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.card { margin: 0 0 1.25rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 14px; background: var(--page); box-shadow: var(--shade); }
.cards .card { margin: 0; }
.title { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; justify-content: space-between; margin-bottom: .75rem; }
.title h1, .title h2 { flex: 1 1 14rem; margin: 0; }
.card h2 { font-size: 1.25rem; }
.state { display: flex; gap: .5rem; align-items: center; margin: 0; }
.links { display: flex; flex-wrap: wrap; gap: .625rem; margin: 1.125rem 0 0; }
.links:empty { display: none; }
.list { padding: 0 1.25rem; list-style: none; }
.list > li { padding: 1.125rem 0; }
.list > li + li { border-top: 1px solid var(--line); }
.list h3 { margin: 0 0 .25rem; font-size: 1.0625rem; line-height: 1.35; }
.list p { margin: .25rem 0 0; }
.device { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; justify-content: space-between; }
.device > div { flex: 1 1 15rem; }
.device p { margin: 0; }
dl.facts { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .5rem 1.5rem; margin: 0; }
dl.facts > div { display: contents; }
dt { color: var(--quiet); }
dd { margin: 0; }
.status, .tag { display: inline-flex; gap: .4rem; align-items: center; padding: .125rem .625rem; border-radius: 1rem; background: var(--panel); font-size: .875rem; font-weight: 600; white-space: nowrap; }
.status { background: var(--good-tint); color: var(--good); }
.status::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; background: currentColor; }
.status.off { background: var(--bad-tint); color: var(--bad); }
.status.off::before { border-radius: 1px; }
.device .status { margin-top: .375rem; }
.gauge { display: block; width: 100%; max-width: 16rem; height: .375rem; margin: .375rem 0 .25rem; border: 0; border-radius: 3px; background: var(--panel); appearance: none; }
.gauge::-webkit-progress-bar { border-radius: 3px; background: var(--panel); }
.gauge::-webkit-progress-value { border-radius: 3px; background: var(--accent); }
.gauge::-moz-progress-bar { border-radius: 3px; background: var(--accent); }
summary { display: inline-block; min-height: 1.75rem; cursor: pointer; text-decoration: underline; text-decoration-color: var(--edge); text-underline-offset: .2em; }
.key { display: block; margin: .375rem 0; padding: .625rem .75rem; border-radius: 6px; background: var(--panel); font: .9375rem/1.5 ui-monospace, Menlo, Consolas, monospace; user-select: all; }
.printed { display: none; }
footer { padding-block: 1.25rem 2.5rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .875rem; }
footer ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
footer a { display: inline-block; min-height: 1.75rem; }
[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
@media (max-width: 30rem) {
  .device > a, .links > * { width: 100%; }
  .card { padding: 1rem; }
  .list { padding: 0 1rem; }
  h1 { font-size: 1.5rem; }
  .actions > *, .actions button { width: 100%; }
  dl.facts { grid-template-columns: 1fr; gap: 0; }
  dl.facts dd { margin-bottom: .625rem; }
}
@media (forced-colors: active) {
  .main { border: 2px solid; }
}
@media print {
  :root { color-scheme: light; }
  body { border: 0; }
  .session form, .actions, .links, .device a, footer nav, .skip, .file, details { display: none; }
  .printed { display: block; }
  .card { padding: 0; border: 0; }
  .list > li, .cards > li { break-inside: avoid; }
}
`;

/** The part of the address of the styles that changes with them, so that browsers may keep them for ever. */
const VERSION = hash('sha256', STYLES, 'base64url').slice(0, 8);

/** The address of the styles with a shop's accent, `#rrggbb`; null takes the default. */
export function stylesAddress(accent: string | null): string {
  return `/my/style.css?accent=${(accent ?? DEFAULT_ACCENT).slice(1)}&v=${VERSION}`;
}

/** The styles with an accent: six hexadecimal digits of the address. Anything else gets the default. */
export function stylesWith(digits: string): string {
  const given = `#${digits}`;
  const accent = isColour(given) ? given.toLowerCase() : DEFAULT_ACCENT;
  return `:root { --accent: ${accent}; --on-accent: ${textColourOn(accent)}; }\n${STYLES}`;
}
