import { anApp, aUser } from './support/app.ts';
import request from 'supertest';
import { happenings, happeningOf } from '../src/calendar/series.ts';
const app = await anApp();
let seed = Number(process.argv[2] ?? 1);
const rnd = () => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return seed / 0x7fffffff; };
const pick = <T>(l: T[]): T => l[Math.floor(rnd() * l.length)] as T;
const weird = ['', ' ', 'x', '\u{1F600}', '-1', '0', '1e400', '../../x', "'; drop table events; --", '9999-12-31T23:59:59Z', '0001-01-01', '0001-01-01T00:00:00Z','2026-03-29T02:30', '2026-10-25T02:30:00', '2026-11-21', '2026-11-21T10:00[Europe/Berlin]', '2026-W47', '2026-11-21T25:00', '2026-11-21T10:00+25:00', '-000001-01-01T00:00Z', '+010000-01-01T00:00Z','9999-12-31','2026-11-21T10:00:00.123456789Z', 'FREQ=DAILY', 'FREQ=YEARLY;COUNT=10000', 'FREQ=MINUTELY;INTERVAL=15', 'FREQ=WEEKLY;BYDAY=MO,TU;UNTIL=20271231', 'FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO,TU,WE', 'FREQ=DAILY;COUNT=0', 'FREQ=HOURLY;UNTIL=99991231T235959Z', 'Asia/Kathmandu', 'Pacific/Apia', 'Africa/Casablanca', 'America/St_Johns', 'Etc/GMT+12', 'UTC', 'utc', '+02:00'];
const val = (): unknown => pick<() => unknown>([() => pick(weird), () => pick(weird), () => pick(weird), () => null, () => rnd() * 1e6, () => Math.floor(rnd() * 3000), () => -5, () => true, () => false, () => [], () => [pick(weird)], () => ({ a: 1 }), () => [[]], () => 1e308])();
const goodTime = () => pick(['2026-11-2', '2026-10-2', '2027-03-2']) + Math.floor(rnd() * 10) + 'T' + String(Math.floor(rnd() * 24)).padStart(2, '0') + ':' + pick(['00', '15', '30']);
const fields = ['title', 'scheduled_for', 'duration_minutes', 'timezone', 'description', 'location', 'url', 'all_day', 'task_id', 'tempo_tag', 'tags', 'status', 'busy', 'rrule', 'rdates', 'exdates', 'reminders', 'linked_trace_ids', 'uid'];
const zones = ['Europe/Berlin', 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu', 'Africa/Casablanca', 'America/Santiago', 'Australia/Lord_Howe'];
const good = (): Record<string, unknown> => ({ title: 't' + Math.floor(rnd() * 100), scheduled_for: goodTime(), duration_minutes: pick([1, 15, 60, 1440, 4320]), ...(rnd() < .4 ? { rrule: pick(['FREQ=DAILY;COUNT=9', 'FREQ=WEEKLY', 'FREQ=DAILY', 'FREQ=MONTHLY;BYDAY=2TU', 'FREQ=HOURLY;COUNT=30', 'FREQ=WEEKLY;UNTIL=20270401']) } : {}), ...(rnd() < .2 ? { all_day: true, duration_minutes: 1440 } : {}), ...(rnd() < .3 ? { timezone: pick(zones) } : {}), ...(rnd() < .2 ? { rdates: [goodTime(), goodTime()] } : {}), ...(rnd()<.2?{tags:[pick(['a','b'])]}:{}) });
const stat: Record<string, number> = {};
const note = (what: string, r: any, input: unknown) => { const k = what + ' ' + r.status; stat[k] = (stat[k] ?? 0) + 1; if (r.status >= 500) { console.log('!!', what, r.status, JSON.stringify(input), JSON.stringify(r.body)); } };
for (let round = 0; round < Number(process.argv[3] ?? 5); round++) {
  const user = await aUser(app, { timezone: pick(zones) });
  const uids: string[] = [];
  for (let i = 0; i < 60; i++) {
    const action = rnd();
    if (action < .3 || !uids.length) { const b = good(); const r = await user.post('/calendar/create', b); note('create', r, b); if (r.status === 201) uids.push(r.body.uid); else console.log(r.body.detail, JSON.stringify(b)); }
    else if (action < .45) { const b: any = { ...good() }; for (let k = 0; k < 2; k++) b[pick(fields)] = val(); const r = await user.post('/calendar/create', b); note('badcreate', r, b); if (r.status === 201) uids.push(r.body.uid); }
    else {
      const uid = pick(uids);
      const doc = (await user.get('/calendar/event?uid=' + encodeURIComponent(uid))).body;
      let rid: string | undefined;
      if (doc.rrule || doc.rdates?.length) {
        const hs = happenings(doc, { start: '2026-10-01T00:00:00.000Z', end: '2027-06-01T00:00:00.000Z' }, 60);
        if (hs.length && rnd() < .8) rid = pick(hs).recurrence_id ?? undefined;
      }
      const scope = pick(['this', 'following', 'all', undefined]);
      if (action < .6) { const q = `/calendar/remove?uid=${encodeURIComponent(uid)}${rid ? '&recurrence_id=' + rid : ''}${scope ? '&scope=' + scope : ''}`; if (rid || rnd() < .2) { const r = await user.delete(q); note('remove', r, q); } }
      else {
        const updates: any = {};
        if (rnd() < .6) updates.scheduled_for = goodTime();
        if (rnd() < .3) updates.title = 'n' + i;
        if (rnd() < .3) updates.duration_minutes = pick([5, 50, 1440]);
        if (rnd() < .15) updates.timezone = pick(zones);
        if (rnd() < .1) updates.rrule = pick([null, 'FREQ=DAILY;COUNT=5', 'FREQ=WEEKLY']);
        if (rnd() < .1) updates.all_day = rnd() < .5;
        if (rnd() < .2) updates[pick(fields)] = val();
        const b = { uid, updates, ...(rid ? { recurrence_id: rid } : {}), ...(scope ? { scope } : {}) };
        const r = await user.patch('/calendar/edit', b); note('edit', r, b);
        if (r.status === 200 && r.body.uid !== uid) uids.push(r.body.uid);
      }
    }
  }
  // paging against brute force
  const window = { start: '2026-11-01T00:00:00.000Z', end: '2027-04-01T00:00:00.001Z' };
  const docs: any[] = [];
  for (const uid of new Set(uids)) { const r = await user.get('/calendar/event?uid=' + encodeURIComponent(uid)); if (r.status === 200) docs.push(r.body); }
  const ref = docs.flatMap((d) => happenings(d, window).map((h) => happeningOf(d, h) as any)).sort((a, b) => a.scheduled_for < b.scheduled_for ? -1 : a.scheduled_for > b.scheduled_for ? 1 : a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : (a.recurrence_id ?? '') < (b.recurrence_id ?? '') ? -1 : 1);
  const walk = async (limit: number) => { const out: any[] = []; let next: string | undefined = `/calendar/events?start=${window.start}&end=2027-04-01T00:00:00Z&limit=${limit}`; while (next) { const a: any = await user.get(next); if (a.status !== 200) { console.log(a.body); break; } out.push(...a.body); next = /<([^>]+)>; rel="next"/.exec(a.headers['link'] ?? '')?.[1]; } return out; };
  for (const limit of [7, 100, 1000]) { const got = await walk(limit); const k = (l: any[]) => l.map((e) => [e.scheduled_for, e.end, e.uid, e.recurrence_id, e.title].join('|')); const [g, w] = [k(got), k(ref)]; if (JSON.stringify(g) !== JSON.stringify(w)) { const i = g.findIndex((x, j) => x !== w[j]); console.log('PAGING differs', limit, g.length, w.length, g[i], w[i]); } }
  for (const d of docs) for (const k of Object.keys(d.overrides)) if (!/^\d{4}-.*Z$/.test(k)) console.log('bad rid', k);
  // ics round trip
  const ics = (await user.get('/calendar/export.ics')).text;
  const other = await aUser(app, { timezone: 'UTC' });
  const imp = (u: any, t: string) => request(app.server).post('/calendar/import').set('Authorization', `Bearer ${u.token}`).set('Content-Type', 'text/calendar').send(t);
  const one = await imp(other, ics); note('import', one, ''); 
  const two = await imp(other, ics);
  if (one.body.skipped || two.body.created || two.body.updated) console.log('ROUND', JSON.stringify(one.body).slice(0, 600), JSON.stringify(two.body).slice(0, 300));
  const theirs = (await other.get(`/calendar/events?start=${window.start}&end=2027-04-01T00:00:00Z&limit=1000`)).body; const mine = (await user.get(`/calendar/events?start=${window.start}&end=2027-04-01T00:00:00Z&limit=1000`)).body;
  const k = (l: any[]) => l.filter((e) => !docs.find((d) => d.uid === e.uid && (d.all_day || Object.values(d.overrides as any).some((o: any) => o.all_day !== undefined)))).map((e) => [e.scheduled_for, e.end, e.uid, e.recurrence_id].join('|')).sort();
  const [a, b] = [k(theirs), k(mine)];
  const miss = b.filter((x) => !a.includes(x)), extra = a.filter((x) => !b.includes(x));
  if (miss.length || extra.length) { console.log('ICS differs', miss.length, extra.length, miss.slice(0, 3), extra.slice(0, 3)); const u = (miss[0] ?? extra[0])!.split('|')[2]; console.log(JSON.stringify(docs.find((d) => d.uid === u))); }
  const selfAgain = await imp(user, ics); if (selfAgain.body.created || selfAgain.body.updated || selfAgain.body.skipped) { console.log('SELF', JSON.stringify(selfAgain.body).slice(0, 300)); for (const d of docs) { const n = (await user.get('/calendar/event?uid=' + encodeURIComponent(d.uid))).body; if (n.version !== d.version) { for (const k of Object.keys(n)) if (!['version','updated_at','seq'].includes(k) && JSON.stringify(n[k]) !== JSON.stringify(d[k])) console.log('   ', d.uid, k, JSON.stringify(d[k]), '->', JSON.stringify(n[k]), d.timezone, d.all_day); } } }
}
console.log(stat);
await app.close();
