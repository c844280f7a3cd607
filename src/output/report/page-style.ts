// How the page of a run looks: light and dark, on paper, on a narrow screen. Nothing is loaded from anywhere.
import {markup} from './markup.js'

export const PAGE_STYLE = markup`<style>
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--paper:#fff;--card:#f6f8fa;--good:#1a7f37;--warn:#9a6700;--bad:#cf222e;--info:#0969da;--path:#d4650b}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b1;--line:#343b44;--paper:#0d1117;--card:#161b22;--good:#4ac26b;--warn:#d4a72c;--bad:#ff7b72;--info:#6cb6ff;--path:#f0883e}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",sans-serif}
main,footer{max-width:1040px;margin:auto;padding:24px 20px}
h1{font-size:26px;margin:0}h2{font-size:19px;margin:36px 0 10px}.soft,footer{color:var(--soft)}footer{font-size:13px}
.state{display:inline-block;margin-left:10px;padding:1px 12px;border-radius:99px;border:1.5px solid;font-size:16px;vertical-align:3px}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.idle{color:var(--soft)}.info{color:var(--info)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:14px;margin:18px 0;padding:16px 18px;background:var(--card);border-radius:8px}
dt{font-size:12px;color:var(--soft)}dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.note{margin:14px 0;padding:12px 18px;background:var(--card);border-left:4px solid;border-radius:4px}.note p{margin:4px 0;color:var(--ink)}
.wide{overflow-x:auto}.wide svg{display:block;min-width:760px}
table{width:100%;border-collapse:collapse;font-size:14px}th,td{padding:6px 10px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}td,dd{overflow-wrap:anywhere}
thead th{font-size:12px;color:var(--soft);white-space:nowrap}caption{text-align:left;color:var(--soft);padding-bottom:6px}.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
code,pre{font:12.5px/1.45 ui-monospace,Consolas,monospace}pre{margin:4px 0;padding:8px 10px;background:var(--card);border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere}
.plain{white-space:nowrap}summary{cursor:pointer}.path{color:var(--path);font-weight:600}
@media print{details::details-content{content-visibility:visible;display:block}body{font-size:12px}}
</style>`
