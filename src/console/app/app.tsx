/** The frame around the screens: navigation, the time machine, the state of the connection, and what is shown to nobody. */
import { useEffect } from 'preact/hooks';
import { Navigation } from './navigation.tsx';
import { ScreenView } from './screen-view.tsx';
import { SCREENS } from './screens.ts';
import { asOf, go, screen, travel } from './state/address.ts';
import { dialog, redoByKey, undoByKey, useCommands, type Command } from './state/commands.ts';
import { profile } from './state/data.ts';
import { connection, who } from './state/service.ts';
import { ConflictQuestion } from './ui/conflict-question.tsx';
import { ErrorBoundary } from './ui/failure.tsx';
import { Messages } from './ui/messages.tsx';
import { Palette } from './ui/palette.tsx';
import { PastBanner } from './ui/past-banner.tsx';
import { Shortcuts } from './ui/shortcuts.tsx';
import { SignIn } from './ui/sign-in.tsx';
import { askToSignOut, SignOutQuestion } from './ui/sign-out.tsx';
import { Foreign } from './ui/text.tsx';
import { ThemeChoice } from './ui/theme.tsx';
import { openTimeMachine, TimeMachine } from './ui/time-machine.tsx';
import { useClosing } from './ui/use-closing.ts';
import { ZoneBanner } from './ui/zone-banner.tsx';

const CONNECTION = {
  waiting: 'Connecting',
  live: 'Live',
  away: 'No connection: what you see may be old',
} as const;

const Connection = () => (
  <span class="connection" role="status" data-is={connection.value}>
    {CONNECTION[connection.value]}
  </span>
);

const Person = ({ name }: { name: string }) => {
  const place = useClosing<HTMLDetailsElement>(() => place.current?.removeAttribute('open'));
  return (
    <details class="person" ref={place}>
      <summary>
        <Foreign lines={1}>{name}</Foreign>
      </summary>
      <div class="panel">
        <ThemeChoice />
        <button type="button" onClick={() => (dialog.value = 'shortcuts')}>
          Keyboard shortcuts <kbd>?</kbd>
        </button>
        <a href={new URL('../docs', document.baseURI).href}>API documentation</a>
        <button type="button" onClick={askToSignOut}>
          Sign out
        </button>
      </div>
    </details>
  );
};

/** Whether a card asks something that a key can take back. */
const isAsking = (): boolean => document.querySelector('.card [data-keep]') !== null;

/** What can be done on every screen. */
const everywhere = (): Command[] => [
  ...SCREENS.map(({ address, name, also }) => ({ name: `Go to ${name}`, also, run: () => go(address || './') })),
  { name: 'Look at an earlier moment', keys: 'h', run: openTimeMachine },
  ...(asOf.value === undefined ? [] : [{ name: 'Back to now', run: () => travel(undefined) }]),
  { name: 'Undo', keys: 'z', run: undoByKey, inCard: isAsking() },
  { name: 'Redo', also: 'again', run: redoByKey },
  { name: 'Show keyboard shortcuts', keys: '?', run: () => (dialog.value = 'shortcuts'), inCard: true },
  { name: 'Sign out', run: askToSignOut },
];

const entry = () => SCREENS.find(({ address }) => address === screen.value);

const skip = (event: MouseEvent): void => {
  event.preventDefault();
  document.querySelector('main')?.focus();
};

const Signed = ({ name }: { name: string }) => {
  useCommands('Almanac', everywhere);
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        <span class="brand" aria-hidden="true">
          Almanac
        </span>
        <button type="button" class="find" onClick={() => (dialog.value = 'palette')}>
          <span>Go to or search</span> <kbd>Ctrl K</kbd>
        </button>
        <Connection />
        <TimeMachine />
        <Person name={name} />
      </header>
      <Navigation />
      <div class="rest">
        <PastBanner followed={entry()?.followsPast ?? false} />
        <ZoneBanner />
        {/* Another screen begins at its top. */}
        <main id="main" tabIndex={-1} key={screen.value}>
          <ErrorBoundary>
            <ScreenView address={screen.value} />
          </ErrorBoundary>
        </main>
      </div>
      <Messages />
      <ConflictQuestion />
      <SignOutQuestion />
      <Palette />
      <Shortcuts />
    </>
  );
};

export const App = () => {
  const { value: is } = who;
  const past = asOf.value !== undefined;
  const { name, followsPast = false } = entry() ?? {};
  useEffect(() => {
    document.documentElement.toggleAttribute('data-past', past && followsPast);
    document.title = `${past ? 'In the past – ' : ''}${name ?? 'Almanac'} – Almanac`;
  }, [past, name, followsPast]);
  if (is.is === 'unknown') return <p class="starting">Starting…</p>;
  if (is.is === 'nobody') return <SignIn />;
  return <Signed name={profile.data.value?.display_name ?? is.user.display_name} />;
};
