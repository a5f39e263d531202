/** The frame around the screens: navigation, the time machine, the state of the connection, and what is shown to nobody. */
import { useEffect } from 'preact/hooks';
import { Calendar } from './calendar/calendar.tsx';
import { Chat } from './chat/chat.tsx';
import { Memory } from './memory/memory.tsx';
import { Queue } from './queue/queue.tsx';
import { asOf, go, linkTo, screen } from './state/address.ts';
import { status, waiting } from './state/data.ts';
import { deciding } from './state/decide.ts';
import { connection, signOut, who } from './state/service.ts';
import { ErrorBoundary } from './ui/failure.tsx';
import { Messages } from './ui/messages.tsx';
import { SignIn } from './ui/sign-in.tsx';
import { Foreign, Hidden } from './ui/text.tsx';
import { ThemeChoice } from './ui/theme.tsx';
import { PastBanner, TimeMachine } from './ui/time-machine.tsx';

const SCREENS = {
  '': { name: 'Calendar', Screen: Calendar },
  queue: { name: 'Queue', Screen: Queue },
  chat: { name: 'Chat', Screen: Chat },
  memory: { name: 'Memory', Screen: Memory },
} as const;

const waitingCount = (): number => {
  if (asOf.value !== undefined) return waiting.data.value?.length ?? 0;
  return Math.max(0, (status.data.value?.queue.proposed ?? 0) - deciding.value.size);
};

const Navigation = () => (
  <nav aria-label="Screens">
    {Object.entries(SCREENS).map(([address, { name }]) => (
      <a
        key={address}
        href={linkTo(address || './')}
        aria-current={screen.value === address ? 'page' : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          go(address || './');
        }}
      >
        {name}
        {address === 'queue' && waitingCount() > 0 && (
          <span class="count">
            {waitingCount()}
            <Hidden> waiting</Hidden>
          </span>
        )}
      </a>
    ))}
  </nav>
);

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

const Account = ({ name }: { name: string }) => (
  <details class="account">
    <summary>
      <Foreign lines={1}>{name}</Foreign>
    </summary>
    <div class="panel">
      <ThemeChoice />
      <a href={new URL('../docs', document.baseURI).href}>API documentation</a>
      <button type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  </details>
);

const NotFound = () => (
  <section class="broken">
    <h1>There is no such screen</h1>
    <a href={linkTo('./')}>Go to the calendar</a>
  </section>
);

export const App = () => {
  const { value: is } = who;
  const past = asOf.value !== undefined;
  const shown = SCREENS[screen.value as keyof typeof SCREENS];
  useEffect(() => {
    document.documentElement.toggleAttribute('data-past', past);
    document.title = `${past ? 'In the past – ' : ''}${shown?.name ?? 'Almanac'} – Almanac`;
  }, [past, shown]);
  if (is.is === 'unknown') return <p class="starting">Starting…</p>;
  if (is.is === 'nobody') return <SignIn />;
  const Screen = shown?.Screen ?? NotFound;
  return (
    <>
      <header class="top">
        <span class="brand" aria-hidden="true">
          Almanac
        </span>
        <Navigation />
        <Connection />
        <TimeMachine />
        <Account name={is.user.display_name} />
      </header>
      <PastBanner />
      <main>
        <ErrorBoundary key={screen.value}>
          <Screen />
        </ErrorBoundary>
      </main>
      <Messages />
    </>
  );
};
