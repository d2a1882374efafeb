import { Choose, ChooseAll } from '#web/ui/table/choosing/Choose.tsx';
import { SelectionBar, PickButton } from '#web/ui/table/choosing/ChosenBar.tsx';
import type { SelectionParts } from '#web/ui/table/tableProps.ts';

/** The components for a table with a `selection`. */
export const choosing: SelectionParts = { Choose, ChooseAll, SelectionBar, PickButton };
