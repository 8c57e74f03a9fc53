/* The style and the script of the HTML page, and the SHA-256 of each as a Content-Security-Policy
   has it: nothing else may style the page or run in it. tests/cli/test_rate.py computes the two
   again and fails when they differ: it prints what they should be. */
#ifndef LEAGUE_REPORT_PAGE_H
#define LEAGUE_REPORT_PAGE_H

#define PAGE_STYLE_HASH "sha256-b/V1wx6az3yoHqmSvBvNkivr0NfNUIEwJbdmskPenYQ="
#define PAGE_SCRIPT_HASH "sha256-lJKerKPq14VyYyrsd1HiMrQS+to7tEKUrBzgiW4+dZk="

static const char page_style[] =
    ":root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--ink:#1c2430;--soft:#5b6675;--line:#dde1e7;--faint:#eef0f3;"
    "--accent:#1f5fa8;--cpu:#c2560c;--bad:#b3261e;--gold:#a9780a;"
    "--c0:#1f6fc4;--c1:#d0601a;--c2:#23855a;--c3:#b23a72;--c4:#7453c4;--c5:#8a6a10;--c6:#12818f;--c7:#c23a2b;"
    "--q0:#b9500a;--q1:#d06a22;--q2:#e2925a;--q3:#f0bb90;--q4:#f6dcc6;--q5:#e9ecf0;--q6:#cfe1f2;--q7:#a3c8e8;--q8:#6ba6d8;--q9:#2f7cbd;--q10:#175c96}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#12161c;--card:#1a2028;--ink:#e6eaf0;--soft:#9aa6b5;--line:#303946;--faint:#232b35;"
    "--accent:#6db0f2;--cpu:#f0a060;--bad:#ff8a80;--gold:#e3b341;"
    "--c0:#6db0f2;--c1:#f29a5c;--c2:#5cc792;--c3:#ee85b5;--c4:#ab94f0;--c5:#d3b04a;--c6:#4fc3d1;--c7:#f47f72;"
    "--q0:#e08a48;--q1:#b4632c;--q2:#8f5129;--q3:#6d4329;--q4:#4d3a2e;--q5:#363d47;--q6:#2e4459;--q7:#2a5376;--q8:#286694;--q9:#2f7fb8;--q10:#62b0ea}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif}\n"
    "header,main,footer{max-width:1440px;margin:0 auto;padding:0 clamp(12px,3vw,36px)}\n"
    "header{padding-top:clamp(20px,4vw,44px)}\n"
    "h1{font-size:clamp(1.5rem,1.1rem + 1.8vw,2.5rem);line-height:1.15;margin:0 0 .4rem;letter-spacing:-.02em;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:0 0 .2rem}h3{font-size:1rem;margin:1.2rem 0 .4rem}\n"
    "p{margin:0 0 .9rem;color:var(--soft);font-size:.92rem;max-width:75ch}\n"
    ".facts{display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;padding:0;margin:0 0 1.2rem;list-style:none;color:var(--soft)}.facts b{color:var(--ink);font-weight:600}\n"
    ".podium{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;padding:0;margin:0 0 16px;list-style:none}\n"
    ".podium li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 16px;min-width:0}\n"
    ".podium li.first{border-color:var(--gold);border-top-width:4px}\n"
    ".podium span{color:var(--soft);font-size:.85rem}.podium strong{display:block;font-size:1.3rem;line-height:1.3;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}\n"
    "section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px clamp(12px,2vw,22px);margin:0 0 16px;min-width:0}\n"
    "main{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 16px;align-items:start}.full{grid-column:1/-1}\n"
    "@media(max-width:1080px){main{grid-template-columns:minmax(0,1fr)}}\n"
    ".scroll{overflow-x:auto;max-width:100%}.tall{max-height:85vh;overflow:auto}\n"
    "table{border-collapse:separate;border-spacing:0;width:100%;font-variant-numeric:tabular-nums;font-size:.95rem}\n"
    "th,td{padding:.38rem .7rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line);background:var(--card)}\n"
    "th{position:sticky;top:0;z-index:1;font-weight:600;color:var(--soft);font-size:.85rem;vertical-align:bottom}\n"
    "td.name,th.name{text-align:left;position:sticky;left:0;max-width:min(42vw,17rem);overflow:hidden;text-overflow:ellipsis}td.name{font-weight:600}th.name{z-index:2}\n"
    "tbody tr:hover td{background:var(--faint)}td.bad{color:var(--bad);font-weight:600}td.zero{color:var(--soft)}td small{color:var(--soft);font-size:.85em;display:inline-block;min-width:3.4em}\n"
    "th button{all:unset;cursor:pointer}th button:hover,th[aria-sort] button{color:var(--ink)}th button:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n"
    "th[aria-sort=ascending] button::after{content:\" \\2191\"}th[aria-sort=descending] button::after{content:\" \\2193\"}\n"
    "input{font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem;margin:0 0 .8rem;width:100%;max-width:20rem}\n"
    "svg{display:block;font-size:12px;fill:var(--ink)}svg.fit{width:100%;height:auto;min-width:560px;max-width:860px}\n"
    "svg .end{text-anchor:end}svg .mid{text-anchor:middle}svg .tick,svg .figure,svg .legend text{fill:var(--soft)}svg .figure{font-variant-numeric:tabular-nums}\n"
    "svg path{fill:none}.grid{stroke:var(--line)}.zero{stroke:var(--soft);stroke-dasharray:3 3}.hit{fill:transparent}.row:hover .hit{fill:var(--faint)}\n"
    ".whisker,.reach{stroke:var(--accent);stroke-width:2}.reach{stroke-width:1.5;opacity:.5}.longest{stroke:var(--bad);stroke-width:2.5}.dot{fill:var(--accent)}.cpu{fill:var(--card);stroke:var(--cpu);stroke-width:2}\n"
    ".trace path{stroke:var(--soft);stroke-width:1.2;opacity:.35;stroke-linejoin:round}.trace[class*=\" c\"] path{stroke:var(--c);stroke-width:2;opacity:1}.trace text{fill:var(--c)}\n"
    ".trace path.wide,.trace[class*=\" c\"] path.wide{stroke:transparent;stroke-width:12;opacity:1}.trace:hover path:not(.wide){stroke-width:3.5;opacity:1}\n"
    ".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}\n"
    ".q0{fill:var(--q0)}.q1{fill:var(--q1)}.q2{fill:var(--q2)}.q3{fill:var(--q3)}.q4{fill:var(--q4)}.q5{fill:var(--q5)}.q6{fill:var(--q6)}.q7{fill:var(--q7)}.q8{fill:var(--q8)}.q9{fill:var(--q9)}.q10{fill:var(--q10)}\n"
    ".self{fill:var(--line)}.none{fill:var(--faint)}g[class^=q] text{fill:#14202e;font-size:11px}.q0 text,.q1 text,.q9 text,.q10 text{fill:#fff!important}g[class^=q]:hover rect,.none:hover rect{stroke:var(--ink);stroke-width:2}\n"
    "@media(prefers-color-scheme:dark){g[class^=q] text{fill:#f2f5f9}.q0 text,.q10 text{fill:#101418!important}.q1 text,.q9 text{fill:#fff!important}}\n"
    ".join{stroke:var(--soft)}.place rect{fill:var(--page);stroke:var(--line)}.place text{font-weight:600}.place .figure{fill:var(--ink)}.out text,.out .figure{fill:var(--soft);font-weight:400}.open text{fill:var(--soft);font-weight:400}.open rect{stroke-dasharray:4 3}.champion rect{stroke:var(--gold);stroke-width:2}\n"
    "footer{color:var(--soft);font-size:.85rem;padding-bottom:2rem}\n"
    "@media print{body{background:#fff}section,.podium li{break-inside:avoid}input{display:none}.tall{max-height:none}}\n";

/* Sorts the table by a click on a heading, and shows only the bots whose name holds what is typed.
   Without it the page shows everything all the same. */
static const char page_script[] =
    "const body=document.querySelector('tbody'),heads=[...document.querySelectorAll('th')];\n"
    "const value=(row,i)=>{const cell=row.cells[i];return cell.dataset.v===undefined?cell.textContent:cell.dataset.v};\n"
    "heads.forEach((head,i)=>head.querySelector('button').addEventListener('click',()=>{\n"
    "const text=head.dataset.text!==undefined,first=head.dataset.first||'descending';\n"
    "const now=head.getAttribute('aria-sort'),other=first==='ascending'?'descending':'ascending',sort=now===first?other:first;\n"
    "heads.forEach(each=>each.removeAttribute('aria-sort'));head.setAttribute('aria-sort',sort);\n"
    "const sign=sort==='ascending'?1:-1;\n"
    "const rows=[...body.rows].map(row=>[value(row,i),row]);\n"
    "rows.sort(([a],[b])=>text?sign*a.localeCompare(b):a===''||b===''?(a==='')-(b===''):sign*(a-b));\n"
    "body.append(...rows.map(([,row])=>row))}));\n"
    "const find=document.querySelector('input');\n"
    "if(find){find.hidden=false;find.addEventListener('input',()=>{const word=find.value.toLowerCase();\n"
    "for(const row of body.rows)row.hidden=!row.cells[1].textContent.toLowerCase().includes(word)})}\n";

#endif
