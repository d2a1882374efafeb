import { Choose, ChooseAll } from '#web/ui/table/choosing/Choose.tsx';
import { ChosenBar, PickButton } from '#web/ui/table/choosing/ChosenBar.tsx';
import type { Choosing } from '#web/ui/table/tableProps.ts';

/** What a table that is given a `selection` chooses its rows with. */
export const choosing: Choosing = { Choose, ChooseAll, ChosenBar, PickButton };
