import { readFileSync } from 'node:fs';
import { anApp, aUser } from './support/app.ts';
import { searchStatement } from '../src/memory/search-sql.ts';
import { correct } from '../src/memory/typos.ts';
import { parseQuery } from '../src/domain/words.ts';
import { termQuery } from '../src/domain/lexemes.ts';
const app = await anApp();
const db = app.database.handle.db;
const user = await aUser(app);
const data = JSON.parse(readFileSync('/work/shared/data/locomo-dev.json','utf8'));
const traces:any[]=[];
for (const s of data) for (const k of Object.keys(s.conversation)) if (/^session_\d+$/.test(k)) for (const t of s.conversation[k]) traces.push({type:'observation',task_id:k,content:`${t.speaker}: ${t.text}`});
for (let r=0;r<1;r++) for (let i=0;i<traces.length;i+=500) await user.post('/memory/push', { traces: traces.slice(i,i+500) }).expect(201);
for (let k=0;k<3;k++) { const t=performance.now(); console.log(await correct(db, user.user_id, 100000, ['carolnie', 'suport', 'xyzzyx'])); console.log('ms', performance.now()-t); }
let n=0, m=0;
for (const s of data) for (const q of s.qa) { const {rows}: any = await searchStatement({ user_id: user.user_id, at: 8885, filter: {}, tagged: undefined, asked: parseQuery(q.question).terms.map(t=>({arm:'keyword' as const, term:t, query: termQuery(t), bonus:false})), vector: undefined, halfLifeDays: 90, limit: 11, offset: 0 }).execute(db); m++; if (rows[0].unknown) { n++; if (n%20===0) console.log(rows[0].unknown, await correct(db, user.user_id, 100000, rows[0].unknown)); } }
console.log(n, 'of', m);
await app.close();
