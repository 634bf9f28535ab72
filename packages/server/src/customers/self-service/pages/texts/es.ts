import { html } from '../html.ts';
import type { Texts } from './en.ts';

const computers = (count: number) => (count === 1 ? '1 ordenador' : `${count} ordenadores`);
const allTaken = (slots: number) => (slots === 1 ? 'y está ocupado' : 'y todos están ocupados');

export const spanish: Texts = {
  languageName: 'Español',
  languages: 'Idioma',
  error: 'Error',
  skip: 'Ir al contenido',
  help: (support) => html`¿Preguntas? ${support}`,
  supportPage: 'Asistencia',
  back: 'Todas las licencias',
  cancel: 'Conservarlo',
  stop: 'No obtener archivo',
  ask: {
    title: 'Encuentre sus licencias',
    lead: 'Consulte sus licencias y sus ordenadores, y libere un ordenador que ya no usa.',
    field: {
      label: 'Correo electrónico',
      hint: 'La dirección que dio al comprar.',
      button: 'Enviarme un código',
    },
    privacy:
      'Enviamos un código a esta dirección si tiene licencias aquí. Esta página es igual para todas las direcciones.',
    missing: 'Escriba su dirección de correo electrónico.',
    invalid: 'No es una dirección de correo electrónico. Tiene una sola @ y ningún espacio, como ada@example.com.',
    withoutMail: (support) =>
      support === null
        ? html`Pida a la tienda donde compró un enlace a sus licencias. Escriba desde la dirección que dio al comprar.`
        : html`La asistencia le envía un enlace que abre sus licencias. Escriba desde la dirección que dio al comprar: ${support}`,
    withoutShop: 'Abra la página de la tienda donde compró. Su enlace está en el mensaje que llegó con su licencia.',
  },
  code: {
    title: 'Escriba el código',
    lead: 'Si la dirección tiene licencias aquí, un mensaje con un código está en camino. Puede tardar unos minutos; mire también en el correo no deseado.',
    field: {
      label: 'Código del mensaje',
      hint: '8 caracteres, como K7QW-2MNP. Vale 10 minutos, solo en este navegador.',
      button: 'Iniciar sesión',
    },
    missing: 'Escriba el código del mensaje.',
    notAccepted: 'Este código no se acepta. Compárelo con el mensaje, o pida otro.',
    notAsked: 'Este navegador no ha pedido un código, o su código ha caducado. Pida otro.',
    again: 'Pedir otro código',
  },
  link: {
    title: 'Abrir sus licencias',
    lead: 'Este enlace funciona una sola vez y abre sus licencias en este navegador.',
    button: 'Abrir mis licencias',
    notAccepted: {
      title: 'Este enlace ya no vale',
      text: 'Ya se usó, o su tiempo ha terminado. Pida otro a la persona que lo envió.',
    },
    askForCode: 'Iniciar sesión con un código por correo',
  },
  session: {
    signedInAs: (email) => html`Sesión de ${email}`,
    signOut: 'Cerrar sesión',
    signedOut: 'Ha cerrado la sesión.',
    ended: 'Su sesión ha terminado. Inicie sesión de nuevo.',
  },
  licenses: {
    title: 'Sus licencias',
    none: 'No hay licencias para esta dirección aquí. Quizá compró con otra.',
    open: (product) => html`Ordenadores y detalles<span class="unseen"> de ${product}</span>`,
    sendKeys: (email) => html`Enviar mis claves a ${email}`,
    keysSent: 'Un mensaje con sus claves de licencia está en camino.',
    keysSentLately:
      'Sus claves de licencia se enviaron hace poco. Mire en sus mensajes, también en el correo no deseado.',
    more: 'Más licencias',
  },
  license: {
    trial: 'Prueba',
    bought: 'Comprada',
    issued: 'Emitida',
    statuses: { active: 'Activa', expired: 'Caducada', revoked: 'Retirada' },
    ends: 'Termina',
    ended: 'Terminó',
    neverEnds: 'Nunca',
    beginsLater: 'Aún no: el tiempo empieza con el primer ordenador',
    slots: 'Ordenadores',
    slotsUsed(used, slots, isFloating) {
      const atOnce = isFloating ? ' a la vez' : '';
      return slots === null ? `${used}${atOnce}, sin límite` : `${used} de ${slots}${atOnce}`;
    },
    key: 'Clave de licencia',
    showKey: 'Mostrar la clave',
    copyKey: 'Copiar la clave',
    copied: 'Copiada',
    links: { download: 'Descargar', renew: 'Renovar', receipt: 'Recibos' },
    revoked: (support) =>
      html`Esta licencia fue retirada. ${support === null ? 'Pregunte en la tienda donde la compró.' : html`Escriba a la asistencia: ${support}`}`,
    expired: 'Esta licencia ha caducado. Los programas ya no la aceptan.',
    updates: 'Actualizaciones hasta',
    grace: (day) => html`El periodo pagado ha terminado. Los programas aceptan la licencia hasta el ${day}.`,
    until: (day) => html` hasta el ${day}`,
  },
  newKey: {
    title: 'Una clave nueva',
    button: 'Obtener una clave nueva',
    question: (product) => html`¿Obtener una clave nueva de ${product}?`,
    effect:
      'La clave anterior deja de funcionar en todos los ordenadores hasta que se introduzca la nueva; algunos programas la toman por sí solos. Pida una si otra persona conoce su clave.',
    once: 'Es posible una vez cada 30 días, y no se puede deshacer.',
    keep: 'Conservar la anterior',
    done: 'Su licencia tiene una clave nueva. Introdúzcala donde un programa la pida.',
    doneAndMailed:
      'Su licencia tiene una clave nueva, y un mensaje con ella está en camino. Introdúzcala donde un programa la pida.',
    refused: 'No se hizo otra clave: la licencia ya tiene una nueva, o aquí no recibe ninguna.',
    spent: (day) => html`Podrá obtener otra clave nueva ${day === null ? 'más adelante' : html`a partir del ${day}`}.`,
  },
  refusals: {
    title: 'Ordenadores rechazados',
    noSlot: (device, day, slots) =>
      html`${device === null ? 'Un ordenador' : html`«${device}»`} fue rechazado el ${day}: ${slots === null ? 'todos los ordenadores de la licencia están ocupados' : `la licencia es para ${computers(slots)}, ${allTaken(slots)}`}.`,
    because: (device, day, reason) =>
      html`${device === null ? 'Un ordenador' : html`«${device}»`} fue rechazado el ${day}: ${reason}.`,
    reasons: {
      activation_rate: 'se intentó demasiadas veces en una hora',
      license_expired: 'la licencia había caducado',
      license_replaced: 'otra clave había sustituido a la de la licencia',
      license_revoked: 'la licencia había sido retirada',
      wrong_product: 'la licencia es para otro programa',
      machine_not_activated: 'la licencia no estaba activada en él',
      invalid_token: 'tenía que activar la licencia de nuevo',
      token_mismatch: 'tenía que activar la licencia de nuevo',
      update_not_covered: 'la licencia no cubre esta versión',
      feature_missing: 'la licencia no incluye esta función',
      user_required: 'la aplicación no dijo quién la usa',
      user_limit: 'otras personas ocupan todos los puestos de la licencia',
      meter_limit: 'lo que incluye la licencia se había agotado',
      meter_not_found: 'la licencia no incluye esta función',
      request_id_reused: 'el programa comunicó dos veces el mismo uso',
    },
    worksNow: 'Ahora funcionaría: inicie allí el programa otra vez.',
    freeOne: 'Libere un ordenador que ya no usa.',
  },
  devices: {
    title: 'Sus ordenadores',
    none: 'Ningún ordenador usa esta licencia.',
    unnamed: 'Ordenador sin nombre',
    first: (day) => html`Visto por primera vez el ${day}`,
    last: (day) => html`Visto por última vez el ${day}`,
    from: (country) => `(${country})`,
    running: 'En uso ahora',
    free: (device) => html`Liberar «${device}»`,
    tooNew: 'Se añadió hace menos de una hora. Podrá liberarlo más tarde.',
    hasFile: (day) =>
      html`Trabaja sin conexión ${day === null ? 'mientras dure la licencia' : html`hasta el ${day}`}, con un archivo. Antes solo la asistencia puede liberarlo.`,
    spent: (day) => html`Podrá liberarlo ${day === null ? 'más tarde' : html`a partir del ${day}`}.`,
    budget: (left, of, day) =>
      html`${left === 0 ? html`Podrá liberar otro ordenador ${day === null ? 'más tarde' : html`a partir del ${day}`}` : `Puede liberar ${computers(left)} más`}; la licencia permite ${of} en 30 días. Un ordenador que no se usó durante 30 días no cuenta.`,
    off: 'La asistencia libera los ordenadores que ya no usa.',
    more: 'Esta lista muestra 200 de los ordenadores. La asistencia puede ayudar con los demás.',
  },
  users: {
    title: 'Usuarios',
    machines: (count) => (count === 1 ? 'Un ordenador' : `${count} ordenadores`),
    release: (user) => html`Dar de baja a «${user}»`,
    releaseTitle: 'Dar de baja a un usuario',
    question: (user) => html`¿Dar de baja a «${user}»?`,
    effect: 'El puesto queda libre para otra persona, y los ordenadores del usuario dejan de tener la licencia.',
    button: 'Dar de baja a este usuario',
    done: 'El usuario se dio de baja.',
    refused: 'El usuario no se dio de baja. La lista de abajo dice por qué.',
  },
  release: {
    title: 'Liberar un ordenador',
    question: (device) => html`¿Liberar «${device}»?`,
    effect: 'El programa ya no tendrá licencia en él. Otro ordenador puede ocupar el lugar.',
    running: 'El programa está en uso en él ahora. Ciérrelo primero, o volverá a ocupar el lugar.',
    costsNothing: 'No se usó durante 30 días, así que no cuenta.',
    counts: (left, of) => `Le quedan ${left} de ${of} en 30 días. Este usa uno de ellos.`,
    button: 'Liberar este ordenador',
    done: 'El ordenador está liberado. Inicie ahora el programa primero en el ordenador nuevo: el antiguo vuelve a ocupar el lugar si se inicia en él.',
    gone: 'El ordenador ya no está en la lista. No se cambió nada.',
    refused: 'El ordenador no se liberó. La lista dice por qué.',
  },
  file: {
    title: 'Un ordenador sin conexión',
    lead: 'El programa de ese ordenador muestra una solicitud. Péguela aquí, y lleve al ordenador el archivo que recibe.',
    field: {
      label: 'Solicitud del programa',
      hint: 'El texto entero, de la primera línea a la última.',
      button: 'Obtener el archivo',
    },
    missing: 'Pegue la solicitud del programa.',
    notAccepted:
      'No es una solicitud del programa para esta licencia. Copie el texto entero, de la primera línea a la última.',
    spent: (day) =>
      html`Esta licencia ya recibió todos sus archivos por ahora. ${day === null ? 'La asistencia puede ayudar.' : html`El próximo es posible a partir del ${day}.`}`,
    refused: (support) =>
      html`La licencia no permite un archivo para este ordenador. Libere primero un ordenador${support === null ? '.' : html`, o escriba a la asistencia: ${support}`}`,
    question: (device) => html`¿Obtener un archivo para «${device}»?`,
    takes: (day) =>
      html`El ordenador ocupa un lugar de la licencia ${day === null ? 'mientras dure la licencia' : html`hasta el ${day}`}. No se puede deshacer antes: solo la asistencia puede liberar el ordenador.`,
    keeps: (day) =>
      html`El ordenador conserva su lugar de la licencia ${day === null ? 'mientras dure la licencia' : html`hasta el ${day}`}. No se puede deshacer antes: solo la asistencia puede liberar el ordenador.`,
    counts: (left, of) =>
      `Le ${left === 1 ? 'queda' : 'quedan'} ${left} de ${of} archivos en 365 días. Este usa uno de ellos.`,
    countsNothing: 'El ordenador ya tiene un archivo, así que otro no cuenta.',
    done: (device) => html`El archivo para «${device}» está listo`,
    take: 'Lleve el archivo al ordenador. El servicio no lo guarda; durante el año obtendrá aquí otro para este ordenador.',
    save: 'Guardar el archivo',
    text: 'Texto del archivo',
    toLicense: 'Ordenadores de esta licencia',
  },
  notices: {
    licenseGone: { title: 'Esta licencia no está en su lista', text: 'Quizá pertenece a otra dirección.' },
    foreignForm: {
      title: 'Inténtelo aquí de nuevo',
      text: 'El formulario no venía de esta página, así que no se cambió nada. Abra la página de nuevo y repita el paso.',
    },
    notFound: { title: 'Esta página no existe', text: 'Compruebe la dirección, o empiece de nuevo.' },
    badForm: {
      title: 'No se pudo leer',
      text: 'El formulario llegó dañado o era demasiado largo. No se cambió nada.',
    },
    tooMany: {
      title: 'Demasiados intentos',
      text: 'Llegaron demasiadas solicitudes de su red. Espere una hora, e inténtelo de nuevo.',
    },
    busy: {
      title: 'Un momento, por favor',
      text: 'El servicio tiene mucho trabajo. No se cambió nada. Inténtelo en un minuto.',
    },
    failed: {
      title: 'Algo salió mal',
      text: 'El servicio falló. Mire sus licencias antes de intentarlo de nuevo: quizá el cambio se hizo.',
    },
  },
  toStart: 'A la primera página',
};
