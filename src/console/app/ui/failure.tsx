/** What could not be shown, and why; the rest of the page goes on. */
import { Component, type ComponentChildren } from 'preact';
import { sentence } from '../state/sentence.ts';

export const Failure = ({ error }: { error: unknown }) => (
  <p class="failure" role="alert">
    {sentence(error)}
  </p>
);

/** In place of a part that could not be read. It is there as soon as it can be. */
export const Unread = ({ error }: { error: unknown }) => (
  <span class="quiet">{error === undefined ? '…' : `This could not be read. ${sentence(error)}`}</span>
);

type State = { error: unknown };

/** A fault in one screen leaves the navigation, so that the person can go on. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = { error: undefined };
  static override getDerivedStateFromError(error: unknown): State {
    return { error };
  }
  override componentDidCatch(error: unknown): void {
    console.error(error);
  }
  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <section class="broken" role="alert">
        <h1>This screen failed</h1>
        <p>Nothing was changed. Reload the page, or go to another screen.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </section>
    );
  }
}
