/** Tempo and limits: when work belongs, how long it takes, and how much agents may propose. */
import { asOf, travel } from '../state/address.ts';
import { profile, status } from '../state/data.ts';
import { zone } from '../state/wall-time.ts';
import { Failure } from '../ui/failure.tsx';
import { Sheet, Sheets } from '../ui/sheet.tsx';
import { Learned } from './learned.tsx';
import { LimitsOfAgents } from './limits.tsx';
import { RangeList } from './range-list.tsx';
import { Tags, tags } from './tags.tsx';
import { Week } from './week.tsx';

const Present = () => (
  <div class="empty">
    <p>Tempo and limits apply now, whatever moment is shown. Memory has their history.</p>
    <button type="button" onClick={() => travel(undefined)}>
      Back to now
    </button>
  </div>
);

export const Tempo = () => (
  <section class="tempo-and-limits">
    <div class="toolbar">
      <h1>Tempo and limits</h1>
    </div>
    {profile.error.value !== undefined && <Failure error={profile.error.value} />}
    {asOf.value !== undefined ? (
      <Present />
    ) : (
      <Sheets of={[profile, status, tags]}>
        <Sheet title="Tempo hours" about={`When agents may place work by themselves, in the time of ${zone.value}.`}>
          <Week />
          <RangeList />
        </Sheet>
        <LimitsOfAgents />
        <Tags />
        <Learned />
      </Sheets>
    )}
  </section>
);
