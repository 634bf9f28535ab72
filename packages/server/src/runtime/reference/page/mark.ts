/** Latchkey's icon, which browsers show beside the title of a page: a keyhole. */
export const MARK_PATH = '/favicon.svg';

/** The icon as SVG. */
export const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Latchkey</title>' +
  '<rect width="32" height="32" rx="8" fill="#0b6a5b"/><circle cx="16" cy="13" r="5" fill="#fff"/>' +
  '<path d="M14.2 15h3.6l1.7 9h-7z" fill="#fff"/></svg>';
