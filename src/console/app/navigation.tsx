/** The way to every screen: a list at the side, and at the lower edge of a phone with the others behind “More”. */
import { signal } from '@preact/signals';
import { asOf, go, linkTo, screen } from './state/address.ts';
import { MOST_SHOWN, status, waiting } from './state/data.ts';
import { deciding } from './state/decide.ts';
import { load } from './screen-view.tsx';
import { SCREENS, type Entry } from './screens.ts';
import { Hidden } from './ui/text.tsx';
import { useClosing } from './ui/use-closing.ts';

/**
 * A list that is whole is counted, because only of its plans it is known which ones are being decided on: the number of the service may
 * leave them out already.
 */
const waitingCount = (): number => {
  const listed = waiting.data.value;
  const isPast = asOf.value !== undefined;
  if (listed && (isPast || (!waiting.stale.value && listed.length < MOST_SHOWN)))
    return listed.filter(({ uid }) => !deciding.value.has(uid)).length;
  return isPast ? 0 : (status.data.value?.queue.proposed ?? 0);
};

/** On a phone the first ones have a place of their own. */
const ALWAYS_SHOWN = 4;
const open = signal(false);

const Icon = ({ outline }: { outline: string }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d={outline} />
  </svg>
);

const Count = () =>
  waitingCount() > 0 ? (
    <span class="count">
      {waitingCount()}
      <Hidden> waiting</Hidden>
    </span>
  ) : null;

const Link = ({ entry }: { entry: Entry }) => (
  <a
    href={linkTo(entry.address || './')}
    aria-current={screen.value === entry.address ? 'page' : undefined}
    onPointerEnter={() => void load(entry)}
    onFocus={() => void load(entry)}
    onClick={(event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open.value = false;
      go(entry.address || './');
    }}
  >
    <Icon outline={entry.icon} />
    <span>{entry.name}</span>
    {entry.address === 'queue' && <Count />}
  </a>
);

export const Navigation = () => {
  const others = SCREENS.slice(ALWAYS_SHOWN);
  const place = useClosing<HTMLElement>(() => (open.value = false));
  const inOthers = others.find(({ address }) => address === screen.value);
  return (
    <nav aria-label="Screens" data-open={open.value ? '' : undefined} ref={place}>
      <ul id="screens">
        {SCREENS.map((entry, n) => (
          <li key={entry.address} data-other={n >= ALWAYS_SHOWN ? '' : undefined}>
            <Link entry={entry} />
          </li>
        ))}
        <li class="more">
          <button
            type="button"
            aria-expanded={open.value}
            aria-controls="screens"
            data-current={inOthers ? '' : undefined}
            onClick={() => (open.value = !open.value)}
          >
            <Icon outline="M5 12h.01M12 12h.01M19 12h.01" />
            <span>{inOthers?.name ?? 'More'}</span>
          </button>
        </li>
      </ul>
    </nav>
  );
};
