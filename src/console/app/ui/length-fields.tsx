/** The length of something beside the time at which it ends: where one is changed, the other follows. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { addDays, minutesBetween, typedWall, wallAfter, wallText, YEARS, type Wall } from '../state/wall-time.ts';
import { announce } from './fields.ts';

type Props = {
  minutes: number | undefined;
  most: number;
  /** The day of a start that is only a time of day, as of a series. */
  day?: string | undefined;
  required?: boolean;
  /** As of the start: the person has drawn the time. */
  drawn?: '' | undefined;
};

/** They follow the field `start` of their form. */
export const LengthFields = ({ minutes, most, day, required = false, drawn }: Props) => {
  const length = useRef<HTMLInputElement>(null);
  const end = useRef<HTMLInputElement>(null);
  const startIn = (form: HTMLFormElement): Wall | undefined => {
    const field = form.elements.namedItem('start');
    const text = field instanceof HTMLInputElement ? field.value : '';
    return text ? typedWall(day === undefined ? text : `${day}T${text}`) : undefined;
  };

  useLayoutEffect(() => {
    const form = length.current?.form;
    if (!form) return undefined;
    const follow = ({ target }: { target?: EventTarget | null }): void => {
      const { current: field } = end;
      const start = startIn(form);
      const lasts = length.current?.valueAsNumber ?? NaN;
      const isOther = target instanceof Element && !target.matches('[name="start"], [name="minutes"]');
      if (!field || isOther) return;
      field.setCustomValidity('');
      const at = start && lasts > 0 && lasts <= most ? wallText(wallAfter(start, lasts)) : '';
      field.value = day === undefined ? at : at.slice(11);
    };
    follow({});
    form.addEventListener('input', follow);
    return () => form.removeEventListener('input', follow);
  }, [day, most]);

  const onEnd = (): void => {
    const { current: field } = end;
    const form = field?.form;
    const start = form && startIn(form);
    field?.setCustomValidity('');
    if (!field?.value || !start || !length.current) return;
    let at = typedWall(day === undefined ? field.value : `${day}T${field.value}`);
    if (!at) return;
    if (day !== undefined && at.minutes <= start.minutes) at = { ...at, date: addDays(at.date, 1) };
    const lasts = minutesBetween(start, at);
    field.setCustomValidity(lasts > 0 ? '' : 'The end must be later than the start.');
    if (lasts <= 0) return;
    length.current.value = String(lasts);
    announce(length.current);
  };

  return (
    <div class="length">
      <label>
        Minutes{' '}
        <input
          ref={length}
          name="minutes"
          type="number"
          data-drawn={drawn}
          min={1}
          max={most}
          required={required}
          defaultValue={minutes ?? ''}
        />
      </label>
      <label>
        End{' '}
        <input
          ref={end}
          {...(day === undefined ? { type: 'datetime-local', ...YEARS } : { type: 'time' })}
          onChange={onEnd}
        />
      </label>
    </div>
  );
};
