/** Light or dark: that of the system, unless the person chooses. */
import { effect, signal } from '@preact/signals';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEY = 'almanac-theme';

const kept = localStorage.getItem(KEY) as Theme | null;
const theme = signal<Theme>(kept && THEMES.includes(kept) ? kept : 'system');

effect(() => {
  localStorage.setItem(KEY, theme.value);
  document.documentElement.dataset['theme'] = theme.value;
});

export const ThemeChoice = () => (
  <label class="choice">
    Theme{' '}
    <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  </label>
);
