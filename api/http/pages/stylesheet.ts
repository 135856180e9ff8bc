import { crashStyles } from './crash-picture.ts'

/** The one stylesheet of the pages; light and dark by the reader's own setting. */
export const stylesheet = `:root {
  color-scheme: light dark;
  --ground: #fbfaf7; --panel: #ffffff; --line: #dedbd2; --ink: #1d1c1a; --soft: #5d5a53; --mark: #0b6e4f; --code: #f3f1ea; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #141517; --panel: #1c1e21; --line: #34373c; --ink: #ecebe7; --soft: #a9a79f; --mark: #5cc9a2; --code: #101113; --bad: #ff8a80; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--panel); padding: .4rem .8rem; z-index: 1; }
.top {
  display: flex; flex-wrap: wrap; gap: .5rem 1.75rem; align-items: baseline; max-width: 62rem; margin: 0 auto; padding: 1.1rem 1.25rem;
  & nav { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; }
  & a { color: var(--mark); text-underline-offset: .2em; }
  & .brand { font-weight: 700; color: var(--ink); text-decoration: none; }
  & [aria-current] { color: var(--ink); text-decoration-thickness: 2px; }
}
a:focus-visible, button:focus-visible, pre:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; border-radius: 3px; }
.page {
  max-width: 62rem; margin: 0 auto; padding: 0 1.25rem 5rem;
  & * { box-sizing: border-box; }
  & a { color: var(--mark); text-underline-offset: .18em; }
  & h1 { font-size: clamp(1.8rem, 4vw, 2.5rem); line-height: 1.2; letter-spacing: -.02em; margin: 1.6rem 0 .8rem; max-width: 26ch; text-wrap: balance; }
  & h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.8rem 0 .8rem; }
  & h3 { font-size: 1.05rem; margin: 0 0 .3rem; }
  & p { max-width: 46rem; margin: .5rem 0; }
  & .lead { font-size: 1.12rem; color: var(--soft); }
  & .note { border-left: 3px solid var(--mark); margin: 1.2rem 0; padding: .1rem 0 .1rem 1rem; }
  & .doors { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: .8rem; list-style: none; padding: 0; margin: 1.2rem 0; }
  & .doors li { padding: .8rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
  & .doors a { font-weight: 600; }
  & .doors span { display: block; color: var(--soft); font-size: .92rem; }
  & table { border-collapse: collapse; width: 100%; font-size: .94rem; }
  & th, & td { text-align: left; vertical-align: top; padding: .5rem 1.2rem .5rem 0; border-bottom: 1px solid var(--line); }
  & th { color: var(--soft); font-weight: 600; white-space: nowrap; }
  & code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .87em; }
  & td:last-child { white-space: nowrap; padding-right: 0; }
  & td code { white-space: nowrap; }
  & .snippet { position: relative; margin: .6rem 0 1rem; }
  & pre { margin: 0; padding: .9rem 1rem; overflow: auto; max-height: 32rem; background: var(--code); border: 1px solid var(--line); border-radius: 8px; line-height: 1.5; }
  & .snippet button { position: absolute; top: .45rem; right: .45rem; font: inherit; font-size: .8rem; padding: .1rem .6rem; color: var(--ink); background: var(--panel); border: 1px solid var(--line); border-radius: 5px; cursor: pointer; }
  & details { margin: .6rem 0; }
  & summary { cursor: pointer; font-weight: 600; padding: .3rem 0; overflow-wrap: anywhere; }
  & .groups { border-top: 1px solid var(--line); }
  & .groups details { margin: 0; padding: .25rem 0; border-bottom: 1px solid var(--line); }
  & .groups summary span { color: var(--soft); font-weight: 400; }
  & .groups tr:last-child td { border-bottom: 0; }
  & .steps { padding-left: 1.4rem; }
  & .steps > li { margin: 0 0 .4rem; padding-left: .3rem; }
  & .facts { display: grid; grid-template-columns: max-content 1fr; gap: .45rem 1.4rem; padding: 1rem 1.2rem; margin: 1.2rem 0; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
  & .facts dt { color: var(--soft); }
  @media (min-width: 40.01rem) {
    @supports selector(::details-content) {
      & .fold > summary { display: none; }
      & .fold::details-content { content-visibility: visible; display: block; }
    }
  }
  & .rows { margin: .8rem 0; }
  & .rows div { display: grid; grid-template-columns: 10rem 1fr; gap: 0 1rem; padding: .45rem 0; border-bottom: 1px solid var(--line); }
  & .rows dt { font-weight: 600; }
  & .rows dd { margin: 0; color: var(--soft); font-size: .94rem; grid-column: 2; }
  & .rows .price { color: var(--ink); font-weight: 600; grid-row: 1; }
  & .scroll { overflow-x: auto; margin: .6rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); }
  & .scroll th, & .scroll td { padding: .45rem .9rem; }
  & .scroll tr:last-child td { border-bottom: 0; }
  & .data td { overflow-wrap: break-word; max-width: 24rem; }
  & .data td:last-child { white-space: normal; padding-right: .9rem; }
  & .data .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  & .rest, & small { color: var(--soft); font-size: .9rem; }
  & .notes { padding-left: 1.4rem; overflow-wrap: anywhere; }
  & .notes li { margin: .45rem 0; }
  & .notes small { display: block; }
  & .actions { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.2rem 0; }
  & .action { display: inline-block; padding: .45rem 1rem; border: 1px solid var(--mark); border-radius: 7px; font-weight: 600; text-decoration: none; }
  & .action:hover { text-decoration: underline; }
  & .checks dt { max-width: 18rem; overflow-wrap: anywhere; }
  & .checks .ok { color: var(--mark); }
  & .checks .bad { color: var(--bad); }
  & .facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
  & h1, & .lead { overflow-wrap: anywhere; }
  @media (max-width: 40rem) { & .facts { grid-template-columns: minmax(0, 1fr); } & .facts dd { margin-bottom: .5rem; } }
  @media (max-width: 40rem) {
    & table:not(.data) {
      &, & tbody, & tr, & td { display: block; }
      & thead { position: absolute; left: -99rem; }
      & tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
      & td { border: 0; padding: .1rem 0; }
      & td code, & td:last-child { white-space: normal; overflow-wrap: anywhere; }
      & tr td:nth-child(n + 3) { display: inline; color: var(--soft); }
      & tr td:last-child::before { content: ' · '; }
      & tr:last-child { border-bottom: 0; }
    }
    & pre { max-height: 16rem; font-size: .93em; }
    & h2 { margin-top: 2.2rem; }
    & .names { grid-template-columns: 1fr 1fr; gap: 0 1rem; }
    & .names span { display: none; }
    & .rows div { grid-template-columns: 1fr; }
    & .rows dd { grid-column: 1; font-size: .9rem; line-height: 1.45; }
    & .rows .price { grid-row: auto; }
    & .doors { gap: 0; }
    & .doors li { padding: .5rem 0; background: none; border-width: 0 0 1px; border-radius: 0; }
  }
}
${crashStyles}`

/** The pages' icon: two rails with their sleepers. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e4f"/><path d="M11 4v24M21 4v24M6 9h20M6 16h20M6 23h20" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>\n'
