import { readFileSync } from 'node:fs';
import { anApp, aUser } from '/work/main/test/support/app.ts';
const data = JSON.parse(readFileSync('/work/shared/data/locomo-dev.json','utf8'));
const app = await anApp();
const mode = process.argv[2] ?? 'hybrid';
const totals: Record<string, number[]> = {}; const times: number[] = [];
const parse = (s: string) => { const m = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(s)!; let h = Number(m[1])%12 + (m[3]==='pm'?12:0); return new Date(Date.UTC(Number(m[6]), ['January','February','March','April','May','June','July','August','September','October','November','December'].indexOf(m[5]!), Number(m[4]), h, Number(m[2]))).toISOString(); };
for (const s of data) {
  const user = await aUser(app);
  const traces: any[] = [];
  for (const k of Object.keys(s.conversation)) { const m = /^session_(\d+)$/.exec(k); if (!m) continue;
    const t0 = Date.parse(parse(s.conversation[`${k}_date_time`]));
    s.conversation[k].forEach((t: any, i: number) => traces.push({ uid: t.dia_id, type:'observation', task_id: k, timestamp: new Date(t0+i*1000).toISOString(), content: `${t.speaker}: ${t.text}${t.blip_caption ? ` [${t.blip_caption}]`:''}` })); }
  for (let i=0;i<traces.length;i+=500) await user.post('/memory/push', { traces: traces.slice(i,i+500) }).expect(201);
  for (const q of s.qa) { if (q.category === 5) continue;
    const ev = new Set<string>(); for (const e of q.evidence) for (const m of e.matchAll(/D:?(\d+):0*(\d+)/g)) ev.add(`D${m[1]}:${m[2]}`);
    if (!ev.size) continue;
    const t = performance.now();
    const r = await user.post('/memory/search', { query: q.question, mode, limit: 10 });
    times.push(performance.now()-t);
    if (r.status !== 200) { console.log(r.body); process.exit(1); }
    const got = new Set(r.body.map((x: any) => x.uid)); const gotS = new Set(r.body.map((x:any)=>x.uid.split(':')[0]));
    const rec = [...ev].filter(e => got.has(e)).length/ev.size;
    const ses = new Set([...ev].map(e=>e.split(':')[0])); const srec = [...ses].filter(e=>gotS.has(e!)).length/ses.size;
    (totals[q.category] ??= []).push(rec); (totals.all ??= []).push(rec); (totals.session ??= []).push(srec);
  }
}
times.sort((a,b)=>a-b);
console.log(mode, Object.fromEntries(Object.entries(totals).map(([k,v])=>[k, (100*v.reduce((a,b)=>a+b,0)/v.length).toFixed(1)+' n'+v.length])), 'p50', times[times.length>>1]!.toFixed(1), 'p95', times[Math.floor(times.length*.95)]!.toFixed(1));
await app.close();
