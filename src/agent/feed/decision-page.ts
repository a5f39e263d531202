/** Renders the page on which a person decides about a proposal: two buttons, no script, nothing loaded from other servers. */
import { hash } from 'node:crypto';
import { ruleText } from '../../domain/calendar/rrule-text.ts';
import { revisionOf } from '../../domain/plan/plan-transitions.ts';
import { isOnlyTitle } from '../../domain/plan/own-text.ts';
import { cancels, keepsTime } from '../../domain/plan/plan.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import { saidReminders } from '../../domain/plan/reminders-said.ts';
import type { Problem } from '../../common/problem.ts';
import { lengthName } from '../../domain/time/say.ts';
import { html, raw, type Html } from '../../http/pages/html.ts';
import { TOKENS } from '../../http/pages/tokens.ts';
import { fieldTime, type Decision, type Shown } from './feed.ts';
import { listTimes } from '../place/series-placement.ts';

export type Page = { html: string; headers: Record<string, string> };

const STYLE = `${TOKENS}
body { margin: 2rem auto; max-width: 36rem; padding: 0 1rem; }
main { display: grid; gap: .8rem; padding: 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; }
h1, p, ul { margin: 0; overflow-wrap: anywhere; }
h1 { font-size: var(--title); }
.said { white-space: pre-wrap; }
form, label { display: grid; gap: .8rem; }
label { gap: .2rem; }
input, textarea, button { font: inherit; color: inherit; border: 1px solid var(--line-strong); border-radius: var(--radius); background: var(--raised); padding: .4rem .65rem; max-width: 100%; }
li { overflow-wrap: anywhere; }
.buttons { display: flex; flex-wrap: wrap; gap: .7rem; }
button { min-height: 44px; padding-inline: 1.5rem; cursor: pointer; }
button.named { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
footer { padding: .7rem 1rem; color: var(--quiet); font-size: var(--small); }
`;

/** The page may use only its own style, send its form only to this server, and be in no frame. No referrer reveals its URL. */
const HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

const page = (title: string, body: Html): Page => ({
  headers: HEADERS,
  html: html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${raw(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
        <footer>Almanac</footer>
      </body>
    </html> `.html,
});

const ACTION_TEXT = {
  schedule: 'Put on the calendar',
  reschedule: 'Move',
  reflect: 'Reflect',
  log: 'Note down',
  configure: 'Change the settings',
};
const BUTTON_TEXT: Record<Decision, string> = { approve: 'Approve', reject: 'Reject' };
const STATUS_TEXT = {
  proposed: 'It waits for a decision.',
  approved: 'It is approved.',
  rejected: 'It is rejected.',
  executed: 'It is approved and executed.',
};

/** `Tuesday, 24 November 2026 at 10:00 to 11:30 (Europe/Berlin), 90 minutes`; of whole days only the first. */
const whenOf = ({ scheduled_for: at, duration_minutes: minutes, arguments: given }: Shown['plan'], zone: string) => {
  if (at === null) return '';
  const format = (options: Intl.DateTimeFormatOptions, ms: number): string =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(ms);
  const start = Date.parse(at);
  const length = minutes ? `, ${lengthName(minutes)}` : '';
  if (given['all_day'] === true) return `: ${format({ dateStyle: 'full' }, start)}, all day`;
  const end = minutes ? ` to ${format({ timeStyle: 'short' }, start + minutes * 60_000)}` : '';
  return `: ${format({ dateStyle: 'full', timeStyle: 'short' }, start)}${end} (${zone})${length}`;
};

/** `, every week on Monday (Europe/Berlin), without 2026-12-07 09:00`. */
const repetitionOf = ({ rrule, exdates, timezone }: Shown['plan']): string => {
  if (rrule == null || timezone == null) return '';
  const without = exdates.length ? `, without ${listTimes(exdates, timezone)}` : '';
  return `, ${ruleText(rrule)} (${timezone})${without}`;
};

const button = (decision: Decision, token: string, isNamed: boolean): Html =>
  html`<button name="token" value="${token}" ${isNamed && raw(' class="named"')}>${BUTTON_TEXT[decision]}</button>`;

/** A swap, a series and a change without a time are approved as they are. */
const canMove = (plan: Shown['plan']): boolean =>
  plan.scheduled_for !== null && plan.rrule == null && !plan.swaps_with && !cancels(plan);

const form = (plan: Shown['plan'], zone: string, buttons: Record<Decision, string>, named: Decision): Html =>
  html`<form method="post" action="decide">
    ${
      canMove(plan) &&
      html`<label
        >Approve at another time (${zone})
        <input type="datetime-local" name="scheduled_for" value="${fieldTime(plan, zone)}" />
      </label>`
    }
    <label>Note <textarea name="note" maxlength="1000" rows="2"></textarea></label>
    <p class="buttons">
      ${(['approve', 'reject'] as const).map((decision) => button(decision, buttons[decision], decision === named))}
    </p>
  </form>`;

const dayList = (day: string[]): Html =>
  day.length
    ? html`<p><b>That day</b></p>
        <ul>
          ${day.map((line) => html`<li>${line}</li>`)}
        </ul>`
    : html`<p>The calendar has nothing else that day.</p>`;

const settingList = (settings: NonNullable<Shown['settings']>): Html =>
  html`<ul>
    ${settings.rows.map(({ name, before, after }) => html`<li>${name}: ${before} → <b>${after}</b></li>`)}
    ${!settings.rows.length && html`<li>Your settings already say this.</li>`}
  </ul>`;

const verbOf = (plan: Shown['plan']): string =>
  cancels(plan) ? 'Cancel' : keepsTime(plan) ? 'Change' : ACTION_TEXT[plan.action_type];

const reminderLine = ({ plan, remindersNow: now }: Shown): Html | undefined => {
  const { reminders } = readArguments(plan);
  if (!reminders || cancels(plan)) return undefined;
  const text = saidReminders(reminders);
  return html`<p>Reminders: ${now ? html`${saidReminders(now)} → <b>${text}</b>` : text}</p>`;
};

/** Shows the proposal, with buttons where it can still be decided, of which that of the link is highlighted. */
export const proposalPage = (shown: Shown, named: Decision): Page => {
  const { plan, zone, target, partner, proposer, day, settings, buttons } = shown;
  const { title, content, reasoning, status } = plan;
  return page(
    title,
    html`<p><b>${verbOf(plan)}</b>${target && ` ${target}`}${whenOf(plan, zone)}${repetitionOf(plan)}</p>
      ${reminderLine(shown)} ${settings && settingList(settings)}
      ${settings === null && html`<p>The settings can no longer be changed like this.</p>`}
      ${proposer && html`<p>Proposed by <b>${proposer}</b></p>`}
      ${partner && html`<p>It exchanges places with ${partner}; both are decided together.</p>`}
      ${!isOnlyTitle({ title, content }) && html`<p class="said">${content}</p>`}
      ${reasoning && html`<p class="said"><b>Why:</b> ${reasoning}</p>`}
      ${status === 'proposed' && revisionOf(plan) > 1 && html`<p>It was changed after it was proposed.</p>`}
      <p>${STATUS_TEXT[status]}</p>
      ${day && dayList(day)} ${buttons && form(plan, zone, buttons, named)}`,
  );
};

/** Renders a problem as a page for a person. */
export const problemPage = (problem: Problem): Page => {
  if (problem.code === 'unauthenticated') return page('This link no longer works', html`<p>${problem.message}</p>`);
  if (problem.code === 'version_mismatch')
    return page(
      'The proposal has changed',
      html`<p>
        The proposal is no longer the one that this page showed, so nothing was decided. Open the link in the calendar
        again.
      </p>`,
    );
  return page('Nothing was decided', html`<p>${problem.message}</p>`);
};
