/** Codes of countries: two letters, as in ISO 3166. */

/**
 * Every code of a country, also of one that no longer exists: the regions of Unicode. Written out, because each process
 * would ask `Intl.DisplayNames` for all pairs of letters at its start, which took a third of its first imports.
 */
export const COUNTRY_CODES: readonly string[] = `
AC AD AE AF AG AI AL AM AN AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BU BV BW
BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CQ CR CS CU CV CW CX CY CZ DD DE DG DJ DK DM DO DY DZ EA EC EE EG EH
ER ES ET EU EZ FI FJ FK FM FO FR FX GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU HV
IC ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA
MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NH NI NL NO NP NR NU NZ OM PA PE
PF PG PH PK PL PM PN PR PS PT PW PY QA QO RE RH RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SU
SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TP TR TT TV TW TZ UA UG UK UM UN US UY UZ VA VC VD VE VG VI VN VU
WF WS XA XB XK YD YE YT YU ZA ZM ZR ZW
`
  .trim()
  .split(/\s/);

const KNOWN: ReadonlySet<string> = new Set(COUNTRY_CODES);

/** Whether a text in upper case is the code of a country, also of one that no longer exists. */
export function isCountryCode(code: string): boolean {
  return KNOWN.has(code);
}
