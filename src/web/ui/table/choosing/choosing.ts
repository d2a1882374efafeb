import { Choose, ChooseAll } from '#web/ui/table/choosing/Choose.tsx';
import { ChosenBar, PickButton } from '#web/ui/table/choosing/ChosenBar.tsx';
import type { Choosing } from '#web/ui/table/tableProps.ts';

/** The components for a table with a `selection`. */
export const choosing: Choosing = { Choose, ChooseAll, ChosenBar, PickButton };
