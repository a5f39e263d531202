/** The style and script of GET /docs. The Content-Security-Policy of the page contains their hashes. */

export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #06c; }
@media (prefers-color-scheme: dark) { :root { --link: #7bf; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 15rem minmax(0, 60rem); }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); }
nav ul { list-style: none; padding: 0; }
nav li { padding: .15rem 0; }
main { padding: 1rem 2rem 50vh; }
h1 small, small { opacity: .7; font-weight: normal; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h4 { margin: 1rem 0 .3rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .7rem; overflow: auto; border-radius: 4px; }
details { border: 1px solid var(--line); border-radius: 4px; margin: .4rem 0; padding: 0 .8rem; }
details[open] { padding-bottom: .8rem; }
summary { cursor: pointer; padding: .45rem 0; }
.say { opacity: .75; margin-left: .5rem; }
.method { display: inline-block; min-width: 3.6rem; font: bold 12px ui-monospace, monospace; }
.get { color: #2a7; } .post { color: #27c; } .patch { color: #b70; } .delete { color: #c33; }
.must { color: #c33; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-top: 1px solid var(--line); font-weight: normal; }
th { white-space: nowrap; }
td p { margin: 0; }
td table { margin: .3rem 0 .3rem; }
.answers { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
:target { outline: 2px solid var(--link); }
input { width: 100%; padding: .4rem; font: inherit; }
[hidden] { display: none; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;

/** Searches, and opens what an anchor names. The page works without it. */
export const SCRIPT = `
const items = [...document.querySelectorAll('[data-find]')];
const find = document.getElementById('find');
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const item of items) item.hidden = !words.every((word) => item.dataset.find.includes(word));
});
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  target?.scrollIntoView();
};
addEventListener('hashchange', open);
addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== find) { event.preventDefault(); find.focus(); }
});
open();
`;
