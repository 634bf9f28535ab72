/** Parts of an address and of a purchase by which searches find licenses, in functions that both engines have. */

/** The text after the last `separator`; the whole text without one. */
const afterLast = (text: string, separator: string) =>
  `substr(${text}, length(rtrim(${text}, replace(${text}, '${separator}', ''))) + 1)`;

/** The address up to its last @, with every separator as a dot. */
const LOCAL_PART =
  "replace(replace(rtrim(rtrim(email_folded, replace(email_folded, '@', '')), '@'), '_', '.'), '-', '.')";
/** The purchase with every separator as a dash. */
const PURCHASE = "replace(replace(replace(purchase_id, ':', '-'), '_', '-'), '#', '-')";

export const DOMAIN = afterLast('email_folded', '@');
export const LAST_NAME = afterLast(LOCAL_PART, '.');
export const ORDER_NUMBER = afterLast(PURCHASE, '-');
