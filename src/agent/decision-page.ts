/** Renders the page on which a person decides about a proposal: two buttons, no script, nothing loaded from other servers. */
import { hash } from 'node:crypto';
import { ruleText } from '../domain/calendar/rrule-text.ts';
import { revisionOf } from '../domain/plan/plan-transitions.ts';
import { cancels, rewords } from '../domain/plan/plan.ts';
import type { Problem } from '../common/problem.ts';
import { html, raw, type Html } from '../http/html.ts';
import type { Decision, Shown } from './proposals-feed.ts';
import { listTimes } from './series-placement.ts';

export type Page = { html: string; headers: Record<string, string> };

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 3rem auto; max-width: 36rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
p { overflow-wrap: anywhere; }
.said { white-space: pre-wrap; }
form { display: inline-block; margin: 1rem 1rem 0 0; }
button { font: inherit; padding: .5rem 1.5rem; border-radius: 6px; border: 1px solid #888; cursor: pointer; }
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
  html`<form method="post" action="decide">
    <input type="hidden" name="token" value="${token}" /><button${isFirst && raw(' class="first"')}>${BUTTON_TEXT[decision]}</button>
  </form>`;

const verbOf = (plan: Shown['plan']): string =>
  cancels(plan) ? 'Cancel' : rewords(plan) ? 'Change the text of' : ACTION_TEXT[plan.action_type];

/** Shows the proposal, with buttons where it can still be decided. The decision that the link names comes first. */
export const proposalPage = ({ plan, zone, target, partner, buttons }: Shown, first: Decision): Page => {
  const { title, content, reasoning, scheduled_for, duration_minutes, status } = plan;
  const second: Decision = first === 'approve' ? 'reject' : 'approve';
  return page(
    title,
    html`<p>
        <b>${verbOf(plan)}</b>${target && ` ${target}`}${
          scheduled_for &&
          html`: ${timeOf(scheduled_for, zone)} (${zone})${duration_minutes && html`, ${duration_minutes} minutes`}`
        }${repetitionOf(plan)}
      </p>
      ${partner && html`<p>It exchanges places with ${partner}; both are decided together.</p>`}
      ${content !== title && html`<p class="said">${content}</p>`}
      ${reasoning && html`<p class="said"><b>Why:</b> ${reasoning}</p>`}
      ${status === 'proposed' && revisionOf(plan) > 1 && html`<p>It was changed after it was proposed.</p>`}
      <p>${STATUS_TEXT[status]}</p>
      ${buttons && [button(first, buttons[first], true), button(second, buttons[second], false)]}`,
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
