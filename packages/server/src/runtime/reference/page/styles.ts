/** The style sheet of the pages below /docs, in light and dark colours. */

const LIGHT = `
--page: #ffffff; --panel: #f6f7f5; --text: #1b2225; --quiet: #57626a; --line: #e2e6e2; --accent: #0b6a5b; --tint: #e6f1ee;
`;

const DARK = `
--page: #121618; --panel: #191f22; --text: #e2e7e8; --quiet: #9aa7ad; --line: #2a3337; --accent: #62cbb5; --tint: #17302c;
`;

/** The text of the only style element. */
export const STYLES = `
:root { color-scheme: light dark; ${LIGHT} --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace; --bar: 3.5rem; }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--page); color: var(--text); scroll-padding-top: calc(var(--bar) + 1.5rem); -webkit-text-size-adjust: 100%; }
body { margin: 0; font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .2em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 3px; }
main:focus { outline: none; }
h1, h2, h3 { line-height: 1.25; letter-spacing: -.012em; text-wrap: balance; }
h1 { font-size: 2rem; font-weight: 650; margin: 0 0 .75rem; }
h2 { font-size: 1.5rem; font-weight: 650; margin: 0 0 .75rem; }
h3 { font: 600 1.25rem/1.4 var(--mono); letter-spacing: -.02em; margin: 0; }
p { margin: 0 0 1rem; max-width: 42rem; text-wrap: pretty; }
code { font: .875em/1.5 var(--mono); white-space: nowrap; }
small { font-size: .8125rem; color: var(--quiet); }

.skip { position: fixed; left: 1rem; top: -4rem; z-index: 3; padding: .5rem 1rem; background: var(--accent); color: var(--page); border-radius: 6px; }
.skip:focus { top: .6rem; }
.bar { position: sticky; top: 0; z-index: 2; height: var(--bar); display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: 0 1.5rem; background: var(--page); border-bottom: 1px solid var(--line); }
.bar nav { display: flex; gap: 1.5rem; font-size: .9375rem; }
.brand { color: var(--text); font-weight: 700; text-decoration: none; letter-spacing: -.01em; }
.brand span { color: var(--quiet); font-weight: 400; margin-left: .25rem; }
.bar nav a { text-decoration: none; }
.bar nav a:hover { text-decoration: underline; }
.bar nav { margin-left: auto; }
button, input { font: inherit; color: inherit; }
#find { min-height: 2.25rem; padding: 0 .875rem; font-size: .9375rem; color: var(--quiet); background: var(--panel); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
#find:hover { color: var(--text); border-color: var(--quiet); }

dialog { width: min(42rem, 100vw - 2rem); max-height: min(40rem, 100dvh - 6rem); margin: 4rem auto auto; padding: 0; overflow: auto; overscroll-behavior: contain; background: var(--page); color: var(--text); border: 1px solid var(--line); border-radius: 10px; }
dialog::backdrop { background: rgb(0 0 0 / .45); }
dialog form { position: sticky; top: 0; display: grid; gap: .375rem; padding: 1rem; background: var(--page); border-bottom: 1px solid var(--line); }
dialog label { font-size: .8125rem; color: var(--quiet); }
dialog input { width: 100%; min-height: 2.75rem; padding: 0 .75rem; background: var(--panel); border: 1px solid var(--quiet); border-radius: 6px; }
dialog > p { margin: 0; padding: .5rem 1rem 0; font-size: .8125rem; color: var(--quiet); }
dialog > p:empty { padding: 0; }
dialog ol { list-style: none; margin: 0; padding: .375rem; }
dialog ol a { display: block; padding: .5rem .625rem; color: inherit; text-decoration: none; border-radius: 6px; }
dialog ol a:hover, dialog ol a:focus-visible { background: var(--panel); }
dialog ol a:focus-visible { outline-offset: -2px; }
dialog strong { font-weight: 650; margin-right: .625rem; }
dialog ol span { display: block; font-size: .875rem; line-height: 1.5; color: var(--quiet); }
mark { background: var(--tint); color: var(--accent); }
.unseen { position: fixed; clip-path: inset(50%); width: 1px; height: 1px; margin: 0; overflow: hidden; }

.contents { padding: 1.5rem 1.5rem 2rem; font-size: .875rem; display: none; grid-template-columns: repeat(auto-fill, minmax(9.25rem, 1fr)); gap: 1.5rem 1rem; border-bottom: 1px solid var(--line); }
.contents:target { display: grid; }
.contents p { margin: 0 0 .375rem; font-weight: 650; }
.contents p a { color: inherit; text-decoration: none; }
.contents p a:hover { text-decoration: underline; }
.contents ul { list-style: none; margin: 0; padding: 0; }
.contents li a { display: block; padding: .1875rem .625rem; margin-left: -.625rem; border-radius: 5px; color: var(--quiet); text-decoration: none; }
.contents .paths a { font: .8125rem/1.5 var(--mono); letter-spacing: -.03em; }
.contents li a:hover { color: var(--text); background: var(--panel); }
.contents { scroll-target-group: auto; }
.contents li a:target-current { color: var(--accent); background: var(--tint); }

main { padding: 3rem 1.5rem 6rem; min-width: 0; }
.opening > p { font-size: 1.1875rem; color: var(--quiet); }
.chapter { margin-top: 3.5rem; max-width: 46rem; }
.group { margin-top: 5rem; padding-top: 3rem; border-top: 1px solid var(--line); }
.group > header p { color: var(--quiet); font-size: 1.0625rem; }
.endpoint { margin-top: 3.5rem; }
.endpoint h3 a { color: inherit; text-decoration: none; }
.endpoint h3 a:hover { color: var(--accent); }
.way { display: flex; flex-wrap: wrap; align-items: center; gap: .375rem .5rem; margin: .5rem 0 1rem; font-size: .875rem; }
.way span { font: 600 .6875rem/1 var(--mono); letter-spacing: .03em; padding: .3125rem .4375rem; border-radius: 4px; background: var(--tint); color: var(--accent); }
.way a { color: var(--quiet); margin-left: .25rem; }

.contents .inner a { padding-left: 1.375rem; }
.contents [aria-current] { color: var(--accent); font-weight: 600; }
.guide { max-width: 60rem; line-height: 1.65; }
.guide :is(h1, h3, p, li) { max-width: 44rem; }
.guide h1 { margin-bottom: 1.25rem; }
.guide h2 { margin: 2.75rem 0 1rem; padding-top: 1.75rem; border-top: 1px solid var(--line); }
.guide h3 { font: inherit; font-size: 1.1875rem; font-weight: 650; line-height: 1.35; letter-spacing: -.012em; margin: 2.5rem 0 .75rem; }
.guide :is(h2, h3) > a { color: inherit; text-decoration: none; }
.guide :is(h2, h3) > a::after { content: "#" / ""; margin-left: .4em; font-weight: 400; color: var(--accent); opacity: 0; }
.guide :is(h2, h3) > a:is(:hover, :focus-visible)::after { opacity: 1; }
.guide :is(p, li, h1, h2, h3) code { white-space: normal; overflow-wrap: anywhere; }
.guide td code { white-space: normal; }
.guide pre code { display: inline-block; padding-right: 4rem; }
.guide ul, .guide ol { margin: 0 0 1rem; padding-left: 1.375rem; }
.guide li { margin: .375rem 0; }
.guide li::marker { color: var(--quiet); }
.guide li:has(> .box) { list-style: none; margin-left: -1.375rem; padding-left: 1.75rem; }
.box { float: left; width: 1rem; height: 1rem; margin: .3125rem 0 0 -1.75rem; border: 1.5px solid var(--quiet); border-radius: 3px; }
.guide figure { margin: 1.25rem 0; }
.guide .picture { width: fit-content; max-width: 100%; }
.guide .picture img { display: block; max-width: 100%; height: auto; }
.picture figcaption { border: 0; border-top: 1px solid var(--line); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); gap: 1rem; align-items: start; margin: 1.25rem 0; }
.guide .pictures .picture { margin: 0; }
.scroll { overflow-x: auto; margin: 1.25rem 0; }
.scroll table { margin: 0; font-size: .875rem; }
.scroll :is(th, td) { padding-right: 1.25rem; min-width: 5rem; }
.scroll :is(th, td):last-child { padding-right: 0; }
.scroll th:first-child { width: auto; }
.scroll .number { text-align: right; font-variant-numeric: tabular-nums; }
.guide .guides { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 1.25rem 2rem; max-width: none; padding: 0; list-style: none; }
.guide .guides li { margin: 0; }
.guides a { display: block; font-weight: 600; text-decoration: none; }
.guides a:hover { text-decoration: underline; }
.guides span { color: var(--quiet); }
.neighbours { display: flex; flex-wrap: wrap; gap: 1rem; max-width: 44rem; margin-top: 4rem; }
.neighbours a { flex: 1 1 12rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; text-decoration: none; }
.neighbours a:hover { border-color: var(--accent); }
.neighbours small { display: block; }
.neighbours a:last-child:not(:first-child) { text-align: right; }

table { width: 100%; border-collapse: collapse; margin: 1.5rem 0; font-size: .9375rem; line-height: 1.5; }
th, td { text-align: left; vertical-align: top; padding: .625rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
th:first-child { padding-right: 1.25rem; width: 38%; }
thead th { font-size: .8125rem; font-weight: 650; padding: 0 0 .5rem; }
thead th + th { color: var(--quiet); font-weight: 400; }
table[aria-label*="efusals"] th:first-child { width: 5.5rem; }
th code, .name, .fields > tbody th { font-weight: 600; }
.fields th small { font-weight: 400; }
th small, td > small { display: block; margin-top: .125rem; }
tr:has(+ .inside) > * { border-bottom: 0; }
.inside > td { padding-top: 0; }
summary { cursor: pointer; color: var(--accent); width: fit-content; font-size: .875rem; }
summary small { margin-left: .125rem; }
details > table { margin: .75rem 0 .5rem; }
details > table th:first-child { padding-left: 1rem; border-left: 2px solid var(--line); }
details > table > thead { display: none; }

figure { margin: 1rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); overflow: hidden; }
figcaption { padding: .5rem 1rem; font-size: .8125rem; color: var(--quiet); border-bottom: 1px solid var(--line); }
pre { margin: 0; padding: .875rem 1rem; max-height: 40rem; overflow: auto; font: .8125rem/1.6 var(--mono); }
pre:focus-visible { outline-offset: -2px; }
pre code { font: inherit; white-space: inherit; }
pre b { font-weight: 400; color: var(--accent); }
figure, .code { position: relative; }
figure .code { position: static; }
.copy { position: absolute; top: .3125rem; right: .5rem; padding: 0 .5rem; min-height: 1.625rem; font-size: .75rem; color: var(--quiet); background: var(--panel); border: 1px solid var(--line); border-radius: 5px; cursor: pointer; }
.copy:hover { color: var(--text); border-color: var(--quiet); }
.languages summary { padding: .5rem 1rem; font-size: .8125rem; width: auto; color: var(--quiet); }
.languages [open] > summary { color: var(--text); font-weight: 600; }
@supports selector(::details-content) {
  .languages { display: grid; grid-template-columns: auto auto auto 1fr; }
  .languages details { display: contents; }
  .languages summary { grid-row: 1; list-style: none; border-bottom: 1px solid var(--line); }
  .languages summary:focus-visible { outline-offset: -2px; }
  .languages [open] > summary { color: var(--accent); box-shadow: inset 0 -2px var(--accent); }
  .languages::after { content: ''; grid-area: 1 / 4; border-bottom: 1px solid var(--line); }
  .languages details::details-content { grid-row: 2; grid-column: 1 / -1; min-width: 0; }
}

@media (min-width: 60rem) {
  .narrow { display: none; }
  .layout { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
  .contents { position: sticky; top: var(--bar); align-self: start; height: calc(100vh - var(--bar)); overflow-y: auto; padding: 1.75rem 1.5rem 3rem; border-bottom: 0; border-right: 1px solid var(--line); }
  .contents, .contents:target { display: block; }
  .links + .links { margin-top: 1.5rem; }
  main { padding: 3.5rem 3rem 8rem; }
}
@media (min-width: 80rem) {
  .endpoint { display: grid; grid-template-columns: minmax(0, 1fr) 27rem; gap: 3rem; align-items: start; }
  .samples { position: sticky; top: calc(var(--bar) + 1.5rem); max-height: calc(100vh - var(--bar) - 3rem); overflow-y: auto; }
  .samples figure:first-child { margin-top: 0; }
  main { max-width: 84rem; }
}
@media (max-width: 40rem) {
  h1 { font-size: 1.75rem; }
  .scroll tbody th code { white-space: normal; }
  .guide .code { padding-top: 1.75rem; }
  .scroll td:last-child:not(:nth-child(n + 5)) { min-width: 15rem; }
  .bar, .contents { padding-left: 1rem; padding-right: 1rem; }
  .bar nav a:not(.narrow), .brand span { display: none; }
  .languages summary { padding: .5rem .625rem; }
  .contents li a { padding-top: .625rem; padding-bottom: .625rem; }
  main { padding: 2rem 1rem 4rem; }
  .chapter, .endpoint { margin-top: 3rem; }
  .fields, .fields > :is(thead, tbody), .fields > * > tr, .fields > * > tr > * { display: block; }
  .fields > thead th + th { position: absolute; clip-path: inset(50%); }
  .fields > thead th:first-child { width: auto; padding: 0 0 .5rem; border-bottom: 1px solid var(--line); }
  .fields > tbody > tr { padding: .75rem 0; border-bottom: 1px solid var(--line); }
  .fields > tbody > tr:has(+ .inside) { padding-bottom: 0; border-bottom: 0; }
  .fields > tbody > tr > * { width: auto; padding: 0; border-bottom: 0; }
  .fields > tbody > .inside { padding-top: .375rem; }
  .fields th small { display: inline; margin-left: .5rem; }
  .fields td { margin-top: .125rem; }
  details > .fields > thead { display: none; }
  details > .fields { padding-left: .875rem; border-left: 2px solid var(--line); }
  details > .fields th:first-child { padding-left: 0; border-left: 0; }
  table[aria-label*="efusals"] th:first-child { width: 3.5rem; }
}
@media (min-width: 92rem) { .endpoint { grid-template-columns: minmax(0, 1fr) 32rem; } main { max-width: 92rem; } }
@media print { .bar, .contents, .skip, .copy, .neighbours, dialog { display: none; } .samples, pre { position: static; max-height: none; overflow: visible; } pre { white-space: pre-wrap; } .scroll { overflow: visible; } }
`;
