/** The part of R10 in which the model answers in every way that models do: what can be read becomes a proposal. */
import { kindsOf, TITLE, type Kind } from '../support/model-answers.ts';
import type { StubModel } from '../support/model.ts';
import { check, type Check } from './trial.ts';

type Heard = { name: string; plans: { title: string }[]; builtIn: boolean | null };

/** What is wrong with what came of a kind of answer. */
const faultOf = (kind: Kind, { plans, builtIn }: Heard, stub: StubModel): string | null => {
  const corrected = stub.requests[1]?.body.messages.at(-1)?.content ?? '';
  if (kind.fault && !kind.fault.test(corrected)) return 'the correction does not say what was wrong';
  // A service that knows what its endpoint takes needs fewer requests.
  if (stub.requests.length > kind.requests) return `took ${stub.requests.length} requests`;
  const isRead = plans.some(({ title }) => title === (kind.isChange ? 'Dentist' : TITLE));
  if (isRead !== (kind.read !== 'none')) return isRead ? 'was read' : 'was not read';
  return builtIn !== null && builtIn !== (kind.read === 'none') ? 'names another planner' : null;
};

export const answerInKinds = async <H extends Heard>(
  stub: StubModel,
  about: { day: string; event_uid: string },
  ask: (kind: Kind, n: number) => Promise<H>,
): Promise<{ heard: H[]; checks: Check[] }> => {
  const heard: H[] = [];
  const wrong: string[] = [];
  const kinds = kindsOf(about);
  for (const [n, kind] of kinds.entries()) {
    stub.script(...kind.behaviours);
    const one = await ask(kind, n);
    heard.push(one);
    const fault = faultOf(kind, one, stub);
    if (fault) wrong.push(`${one.name}: ${fault}`);
  }
  return {
    heard,
    checks: [check('kinds of answers that models give, read or refused as they should be', kinds.length, { wrong })],
  };
};
