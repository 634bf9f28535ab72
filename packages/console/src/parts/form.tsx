import type { ReactNode, Ref } from 'react';

export interface FormProps {
  readonly className?: string | undefined;
  readonly ref?: Ref<HTMLFormElement>;
  /** Called on Enter in a field, and by the button of type `submit`. */
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A form that the page handles. Its fields show their own errors, so the browser shows none. */
export function Form({ className, ref, onSubmit, children }: FormProps) {
  return (
    <form
      ref={ref}
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
