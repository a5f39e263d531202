/** The text of a plan that has none of its own: its title, which earlier releases ended with a full stop. */
export const isOnlyTitle = ({ title, content }: { title: string; content: string }): boolean =>
  content === title || content === `${title}.`;

/** The text of a plan with another title; undefined where its text stays. */
export const contentWith = (plan: { title: string; content: string }, title: string): string | undefined =>
  title !== plan.title && isOnlyTitle(plan) ? title : undefined;
