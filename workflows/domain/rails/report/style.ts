import { html } from '../../core/html.ts'

/** The style of a report, for screens and for paper. */
export const pageStyle = html`
:root{--ink:#1c2430;--soft:#5b6675;--line:#dde3ea;--fill:#f5f7fa;--accent:#1f5f8b;--warn:#a4491f}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);max-width:68rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}
header{border-bottom:3px solid var(--accent);padding-bottom:1rem}
.kind{margin:0;color:var(--accent);font-weight:600;letter-spacing:.04em}
h1{font-size:2rem;line-height:1.2;margin:.1rem 0 .8rem}
h2{font-size:1.2rem;margin:2.2rem 0 .6rem}
.flag{display:inline-block;margin:0 .5rem .8rem 0;padding:.15rem .6rem;border:1px solid var(--warn);border-radius:3px;color:var(--warn);font-size:.9rem}
dl{margin:0}
dd{margin:0;overflow-wrap:anywhere}
dt{color:var(--soft);font-size:.85rem}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.4rem 1.5rem;font-size:.9rem}
.ids{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin-top:.7rem;font-size:.8rem}
.ids dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.75rem;align-self:center}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.8rem}
.figures div{border:1px solid var(--line);border-radius:6px;background:var(--fill);padding:.7rem .9rem}
.figures dd{font-size:1.3rem;font-weight:600;line-height:1.3;margin-top:.15rem}
.note{color:var(--soft);font-size:.85rem;margin:.2rem 0 .5rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.85rem}
th,td{border-bottom:1px solid var(--line);padding:.35rem .6rem;text-align:left;vertical-align:top;overflow-wrap:break-word;min-width:4.5rem;max-width:22rem}
thead th{background:var(--fill);border-bottom:2px solid var(--line);font-weight:600}
td.w{min-width:14rem;overflow-wrap:anywhere}
td.s{white-space:nowrap}
.n{text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:normal}
.notes td{overflow-wrap:anywhere}
.notes td:first-child{font-weight:600;width:14rem}
.notes td:last-child{width:22rem}
.values td{overflow-wrap:anywhere}
.values th{width:35%;overflow-wrap:anywhere;font-weight:400;color:var(--soft)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85em}
code{overflow-wrap:anywhere}
pre{background:var(--fill);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;overflow-x:auto}
q{color:var(--soft)}
figure{margin:1rem 0 1.6rem}
figcaption{font-weight:600;margin-bottom:.5rem}
svg{display:block;width:100%;max-width:50rem;font-size:12.5px;fill:var(--ink)}
rect.above{fill:var(--accent)}
rect.below{fill:var(--warn)}
@media screen and (max-width:40rem){
.notes thead{display:none}
.notes tr{display:block;border-bottom:1px solid var(--line);padding:.4rem 0}
.notes td,.notes td:first-child,.notes td:last-child{display:block;width:auto;max-width:none;border:0;padding:.1rem .2rem}
}
@media print{
@page{margin:16mm}
body{max-width:none;padding:0;font-size:10pt}
h1{font-size:20pt}
table{font-size:8pt}
th,td,td.s,td.w{min-width:0;overflow-wrap:anywhere;white-space:normal}
.scroll{overflow:visible}
thead{display:table-header-group}
tr,figure,.figures div{break-inside:avoid}
h2{break-after:avoid}
rect,.figures div,thead th{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`
