import { useLocation, useNavigate } from '@tanstack/react-router';

/** The event in the address, whose dialog is open over the list. The list keeps its tab and its page. */
export function useEventAddress() {
  const { pathname, search } = useLocation() as {
    readonly pathname: string;
    readonly search: Readonly<Record<string, string>>;
  };
  const navigate = useNavigate();
  const { event = '', ...rest } = search;
  return {
    /** '' while no dialog is open. */
    eventId: event,
    hrefOf: (eventId: string) => `#${pathname}?${new URLSearchParams({ ...rest, event: eventId })}`,
    close: () => void navigate({ to: '.', search: rest as never, replace: true, resetScroll: false }),
  };
}
