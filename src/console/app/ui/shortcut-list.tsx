/** The list of keys; ui/shortcuts.tsx loads it. */
import { dialog, groups, singleKeys, switchSingleKeys } from '../state/commands.ts';
import { Dialog } from './dialog.tsx';

export const ShortcutList = () => (
  <Dialog name="Keyboard shortcuts" class="shortcuts" onClose={() => (dialog.value = undefined)}>
    <h2>Keyboard shortcuts</h2>
    <label class="choice">
      <input
        type="checkbox"
        checked={singleKeys.value}
        onChange={(event) => switchSingleKeys(event.currentTarget.checked)}
      />{' '}
      Single keys are on
    </label>
    {[...groups.value].reverse().map(({ title, commands }) => {
      const withKeys = commands().filter(({ keys }) => keys !== undefined);
      if (!withKeys.length) return null;
      return (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {withKeys.map(({ name, keys }) => (
              <>
                <dt key={keys}>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{name}</dd>
              </>
            ))}
          </dl>
        </section>
      );
    })}
    <section>
      <h3>Everywhere</h3>
      <dl>
        <dt>
          <kbd>Ctrl K</kbd>
        </dt>
        <dd>Say what to plan in a sentence, go to a screen or a date, or find something by its name</dd>
        <dt>
          <kbd>Ctrl Z</kbd> <kbd>Ctrl Y</kbd>
        </dt>
        <dd>Undo, and do again what was undone</dd>
        <dt>
          <kbd>Tab</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>Reach and open everything on the page; in the calendar the next proposal</dd>
        <dt>
          <kbd>← ↑ → ↓</kbd>
        </dt>
        <dd>Go to the blocks of the calendar, earlier and later ones and those of other days</dd>
        <dt>
          <kbd>Shift</kbd> <kbd>← ↑ → ↓</kbd>
        </dt>
        <dd>
          Move the focused proposal or event as far as you like; <kbd>Enter</kbd> ends the move
        </dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>Close, or put a moved proposal back</dd>
      </dl>
    </section>
    <button type="button" onClick={() => (dialog.value = undefined)}>
      Close
    </button>
  </Dialog>
);
