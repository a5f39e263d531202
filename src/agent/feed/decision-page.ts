/** Renders the page on which a person decides about a proposal: two buttons, no script, nothing loaded from other servers. */
import { hash } from 'node:crypto';
import { ruleText } from '../../domain/calendar/rrule-text.ts';
import { revisionOf } from '../../domain/plan/plan-transitions.ts';
import { cancels, rewords } from '../../domain/plan/plan.ts';
import type { Problem } from '../../common/problem.ts';
import { html, raw, type Html } from '../../http/pages/html.ts';
import { fieldTime, type Decision, type Shown } from './feed.ts';
import { listTimes } from '../place/series-placement.ts';

export type Page = { html: string; headers: Record<string, string> };

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 3rem auto; max-width: 36rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
p { overflow-wrap: anywhere; }
.said { white-space: pre-wrap; }
form { display: grid; gap: .8rem; margin-top: 1rem; }
label { display: grid; gap: .2rem; }
input, textarea { font: inherit; padding: .4rem; max-width: 100%; }
li { overflow-wrap: anywhere; }
button { font: inherit; margin-right: 1rem; padding: .5rem 1.5rem; border-radius: 6px; border: 1px solid #888; cursor: pointer; }
button.first { background: #06c; border-color: #06c; color: #fff; }
small { opacity: .7; }
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
        <h1>${title}</h1>
        ${body}
        <small>Almanac</small>
      </body>
    </html> `.html,
});

const ACTION_TEXT = { schedule: 'Put on the calendar', reschedule: 'Move', reflect: 'Reflect', log: 'Note down' };
const BUTTON_TEXT: Record<Decision, string> = { approve: 'Approve', reject: 'Reject' };
const STATUS_TEXT = {
  proposed: 'It waits for a decision.',
  approved: 'It is approved.',
  rejected: 'It is rejected.',
  executed: 'It is approved and executed.',
};

const timeOf = (at: string, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'short' }).format(Date.parse(at));

/** `, every week on Monday (Europe/Berlin), without 2026-12-07 09:00`. */
const repetitionOf = ({ rrule, exdates, timezone }: Shown['plan']): string => {
  if (rrule == null || timezone == null) return '';
  const without = exdates.length ? `, without ${listTimes(exdates, timezone)}` : '';
  return `, ${ruleText(rrule)} (${timezone})${without}`;
};

const button = (decision: Decision, token: string, isFirst: boolean): Html =>
  html`<button name="token" value="${token}" ${isFirst && raw(' class="first"')}>${BUTTON_TEXT[decision]}</button>`;

/** A swap, a series and a change without a time are approved as they are. */
const canMove = (plan: Shown['plan']): boolean =>
  plan.scheduled_for !== null && plan.rrule == null && !plan.swaps_with && !cancels(plan);

const form = (plan: Shown['plan'], zone: string, buttons: Record<Decision, string>, first: Decision): Html => {
  const second: Decision = first === 'approve' ? 'reject' : 'approve';
  return html`<form method="post" action="decide">
    ${
      canMove(plan) &&
      html`<label
        >Approve at another time (${zone})
        <input type="datetime-local" name="scheduled_for" value="${fieldTime(plan, zone)}" />
      </label>`
    }
    <label>Note <textarea name="note" maxlength="1000" rows="2"></textarea></label>
    <p>${[button(first, buttons[first], true), button(second, buttons[second], false)]}</p>
  </form>`;
};

const dayList = (day: string[]): Html =>
  day.length
    ? html`<p><b>That day</b></p>
        <ul>
          ${day.map((line) => html`<li>${line}</li>`)}
        </ul>`
    : html`<p>The calendar has nothing else that day.</p>`;

const verbOf = (plan: Shown['plan']): string =>
  cancels(plan) ? 'Cancel' : rewords(plan) ? 'Change the text of' : ACTION_TEXT[plan.action_type];

/** Shows the proposal, with buttons where it can still be decided. The decision that the link names comes first. */
export const proposalPage = ({ plan, zone, target, partner, proposer, day, buttons }: Shown, first: Decision): Page => {
  const { title, content, reasoning, scheduled_for, duration_minutes, status } = plan;
  return page(
    title,
    html`<p>
        <b>${verbOf(plan)}</b>${target && ` ${target}`}${
          scheduled_for &&
          html`: ${timeOf(scheduled_for, zone)} (${zone})${duration_minutes && html`, ${duration_minutes} minutes`}`
        }${repetitionOf(plan)}
      </p>
      ${proposer && html`<p>Proposed by <b>${proposer}</b></p>`}
      ${partner && html`<p>It exchanges places with ${partner}; both are decided together.</p>`}
      ${content !== title && html`<p class="said">${content}</p>`}
      ${reasoning && html`<p class="said"><b>Why:</b> ${reasoning}</p>`}
      ${status === 'proposed' && revisionOf(plan) > 1 && html`<p>It was changed after it was proposed.</p>`}
      <p>${STATUS_TEXT[status]}</p>
      ${day && dayList(day)} ${buttons && form(plan, zone, buttons, first)}`,
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
