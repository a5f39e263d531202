/** Words of a rule for all plans, such as 'nothing before nine on weekdays'. What is left of a rule without them is a time. */
import { setOf, tableOf } from './tables.ts';

/**
 * What a word of a rule says. Those of `back` mean a time that was said before, those of `kept` belong to the time; a rule with one
 * of `other` says more than can be set. Those of `off` and `able` may be about one time, and those of `state` say what is, without one of `ask`.
 */
export type RuleKind =
  | ('not' | 'stop' | 'avoid' | 'soft' | 'free' | 'own' | 'only' | 'work' | 'most' | 'usual')
  | ('vacant' | 'keep' | 'off' | 'able' | 'above' | 'unless' | 'state' | 'ask')
  | ('deep' | 'rest' | 'lasting' | 'further' | 'thing' | 'small' | 'back' | 'kept' | 'other');

/** The words of each kind; _ joins those of a phrase, and the longest phrase counts. */
const WORDS = tableOf(`
not: no not nothing never nobody noone no_one none nowt don't dont do_not can't cant cannot won't mustn't shouldn't doesn't isn't
not: no_more not_any_more not_a_soul can't_have cant_have cannot_have mustn't_have shouldn't_have
stop: stop skip quit
other: stop_the stop_my stop_all skip_the skip_my skip_all quit_the quit_my quit_all
avoid: avoid
soft: prefer preferably rather ideally try try_to if_possible where_possible i'd_rather would_rather
off: off blocked unavailable not_available not_bookable do_not_disturb
free: off_limits offlimits protected sacred untouchable quiet_hours
vacant: free clear empty
keep: keep keeps keeping kept leave leaves leaving stay stays remain remains hold reserve
own: mine family family_time the_kids my_kids my_family the_family for_the_kids for_the_family my_time me_time for_me for_myself
only: only
work: work_from i_work we_work working_hours work_hours office_hours opening_hours working_week work_week workweek my_week
work: week_of_work my_week_of_work business_hours my_hours my_working_hours
able: i_am_available i'm_available
most: max maximum at_most at_the_most no_more_than not_more_than never_more_than nothing_more_than up_to limit limit_of at_max tops
most: cap cap_of
above: more_than
usual: default defaults by_default as_default standard normal normally usual
unless: unless_i_say_otherwise unless_stated_otherwise unless_otherwise_stated unless_i_say_so unless_i_say unless_i_ask
unless: unless_i_tell_you unless_i_tell_you_otherwise unless_i_ask_for_it
deep: deep_work
rest: lunch lunch_break lunch_hour dinner_time break siesta nap rest pause school_run the_school_run school_pickup my_school_pickup
rest: pickup prayer
lasting: from_now_on from_here_on from_here_on_in from_today_on as_of_now as_of_today starting_now henceforth in_future
lasting: in_the_future going_forward for_ever forever ever again ever_again anymore any_more any_longer always permanently
lasting: for_good as_a_rule in_general generally
further: also too as_well sometimes
thing: anything something everything appointment appointments appt appts meeting meetings mtg mtgs booking bookings event events thing
thing: things stuff plan plans work invite invites invitation invitations date dates slot slots entry entries item items commitment
state: has have having i've happens happen is_booked are_booked is_scheduled are_scheduled is_planned are_planned
state: nothing_is
ask: want wanting wants wish wishes like let lets let's can should must shall take takes accept please pls plz kindly
thing: commitments anyone anybody someone somebody everyone everybody people new any
small: me my myself i i'm im i'd i'll book books booked booking schedule schedules scheduled scheduling put puts
small: putting place places placing add adds accepts accepting have_me give gives giving
small: make makes making do doing does arrange arranging suggest suggesting suggests offer offering propose proposing block
small: blocking taking last lasts length
small: duration long thanks thank_you thx would could will to_me is are i_am be
small: so just really simply it get gets getting set sets calendar diary see in into over during that
kept: work_days work_day working_days working_day workdays workday business_days business_day a_week per_week a_day per_day every_day
kept: each_day in_the_morning in_the_mornings in_the_afternoon in_the_afternoons in_the_evening in_the_evenings
other: except excepting exception excluding apart other_than without unless but if when whenever while because until_then
back: then there that_time those_hours those_times these_hours
other: those these same another next he she they them his her their we us our who which
other: mondays_work tuesdays_work wednesdays_work thursdays_work fridays_work saturdays_work sundays_work weekends_work
other: mornings_work afternoons_work evenings_work i_always_have i_generally_have
other: better best preferred preferable works convenient open opens already probably least minimum most some needs
other: fine ok okay good great allowed welcome might may was were had usually
other: i'm_free im_free i_am_free i'm_open no_longer no_need need
other: days_i day_i nights_i days_that days_when day_after day_before days_before days_after nights_that mornings_i mornings_after
other: school holiday holidays season term both row consecutive late early for_now this_week today tomorrow tonight double instead
other: remind reminder reminders buffer gap maybe perhaps possibly yet still even
`);
export const RULE_WORDS = WORDS as ReadonlyMap<string, RuleKind>;
/** How many words the longest phrase has. */
export const LONGEST_PHRASE = Math.max(...[...WORDS.keys()].map((phrase) => phrase.split(' ').length));

/** Words that say that a weekday is each of them: 'Sunday mornings', 'never on Friday'. */
export const EACH_TIME = setOf('mornings afternoons evenings nights lunchtimes every each always ever never stop');
/** Words behind which a reason begins. */
export const REASONS = setOf('because cos cause coz bc cuz');
/** Words with which an explanation begins: 'no meetings on Wednesdays, that is my day for writing'. */
export const EXPLAINING = setOf("that's thats that it's its it");
/** Words that restrict a rule wherever they are beside it. */
export const RESTRICTING = setOf(`
except excepting excluding apart unless but if when whenever while until till only from starting since not without during either
`);
