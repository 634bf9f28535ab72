/** A button that downloads a list as CSV. */
import { useState } from 'react';
import { Button, type ButtonLook } from './button.tsx';
import { toast } from './toast.tsx';

/** A list as a file. */
export interface ListFile {
  /** The file name without its extension. */
  readonly name: string;
  /** The entries, whose fields are the columns; null if they could not be read, which has been reported. */
  readonly entries: () => readonly object[] | Promise<readonly object[] | null>;
}

export interface CsvButtonProps {
  /** The button shows progress while the entries are read. */
  readonly file: ListFile;
  readonly look?: ButtonLook;
  readonly small?: boolean;
}

/** Downloads a list as `NAME.csv`. */
export function CsvButton({ file, look = 'plain', small = false }: CsvButtonProps) {
  const [isPending, setPending] = useState(false);
  const pressed = async () => {
    setPending(true);
    await save(file);
    setPending(false);
  };
  return (
    <Button look={look} small={small} pending={isPending} onClick={() => void pressed()}>
      Download CSV
    </Button>
  );
}

/** Every list has a button, and few are pressed: the code for files is loaded then. */
async function save({ name, entries }: ListFile): Promise<void> {
  try {
    const [{ saveCsv }, all] = await Promise.all([import('./save-csv.ts'), entries()]);
    if (all !== null) saveCsv(name, all);
  } catch {
    toast({ title: 'The file was not made.', detail: 'The service did not answer. Try again.' });
  }
}
