/** All tools, in the order in which they are listed. */
import { calendarTools } from './calendar-tools.ts';
import { memoryTools } from './memory-tools.ts';
import { personTools } from './person-tools.ts';
import { planTools } from './plan-tools.ts';
import type { Tool } from './tool.ts';

export const TOOLS: readonly Tool[] = [...memoryTools, ...calendarTools, ...planTools, ...personTools];
