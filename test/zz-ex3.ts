import { sql } from 'kysely';
import { readFileSync } from 'node:fs';
import { anApp, aUser } from './support/app.ts';
import { searchStatement } from '../src/memory/search-sql.ts';
import { parseQuery } from '../src/domain/words.ts';
import { termQuery } from '../src/domain/lexemes.ts';
const app = await anApp();
const db = app.database.handle.db;
const user = await aUser(app);
const data = JSON.parse(readFileSync('/work/shared/data/locomo-dev.json','utf8'));
const traces:any[]=[];
for (const s of data) for (const k of Object.keys(s.conversation)) if (/^session_\d+$/.test(k)) for (const t of s.conversation[k]) traces.push({type:'observation',task_id:k,content:`${t.speaker}: ${t.text}`});
for (let r=0;r<3;r++) for (let i=0;i<traces.length;i+=500) await user.post('/memory/push', { traces: traces.slice(i,i+500) }).expect(201);
const q = parseQuery('When did Caroline go to the LGBTQ support group meeting with friends?');
const question = { user_id: user.user_id, at: 8885, filter: {}, tagged: undefined, asked: q.terms.map(t=>({arm:'keyword' as const, term:t, query: termQuery(t), bonus:false})), vector: undefined, halfLifeDays: 90, limit: 11, offset: 0 };
for (let i=0;i<2;i++) {
for (let k=0;k<3;k++) { const t=performance.now(); await searchStatement(question).execute(db); console.log('ms', performance.now()-t); }
const r:any = await sql`explain (analyze, buffers off) ${searchStatement(question)}`.execute(db);
console.log(r.rows.map((x:any)=>x['QUERY PLAN']).filter((x:string)=>/actual/.test(x)).map((x:string)=>x.slice(0,200)).join('\n'), r.rows.slice(-6));
await sql`vacuum analyze traces`.execute(db);
}
await app.close();
