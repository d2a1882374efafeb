import { Choose, ChooseAll } from '#web/ui/table/selection/Choose.tsx';
import { SelectionBar, PickButton } from '#web/ui/table/selection/SelectionBar.tsx';
import type { SelectionParts } from '#web/ui/table/tableProps.ts';

/** The components for a table with a `selection`. */
export const selectionParts: SelectionParts = { Choose, ChooseAll, SelectionBar, PickButton };
