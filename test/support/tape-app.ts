/** An app whose model plays a tape, on the calendar of effects.md. */
import { anApp, type TestApp } from './app.ts';
import type { Effect } from './effects.ts';
import { aModel } from './model.ts';
import { judgeEffects, OUTSIDE, type Wanted } from './planned-effects.ts';
import { type Outcome, run, type Verdict } from './requests.ts';
import { aPlayer } from './tape-player.ts';
import type { Line } from './tape.ts';

type TapeApp = {
  app: TestApp;
  play: (lines: readonly Line[]) => Promise<{ outcome: Outcome; verdict: Verdict }>;
  begin: (lines: readonly Line[]) => void;
  close: () => Promise<void>;
};

/** What an entry of a tape says, and what is wanted of it. */
export const wantedOf = (lines: readonly Line[]): Wanted => {
  const says = lines.map(({ say }) => say);
  return { say: says.length > 1 ? says : says[0]!, want: lines[0]!.want as Effect[][] };
};

export const aTapeApp = async (settings: Record<string, string> = {}): Promise<TapeApp> => {
  const player = aPlayer();
  const stub = await aModel(player.plays);
  const app = await anApp({ env: { ...settings, OPENAI_BASE_URL: stub.baseURL } });
  app.clock.set(OUTSIDE.now);
  return {
    app,
    begin: player.begin,
    play: async (lines) => {
      player.begin(lines);
      const entry = wantedOf(lines);
      const outcome = await run(app, entry, OUTSIDE);
      return { outcome, verdict: judgeEffects(entry, outcome) };
    },
    close: async () => {
      await app.close();
      await stub.close();
    },
  };
};
