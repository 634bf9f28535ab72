import { html } from '../html.ts';
import type { Texts } from './en.ts';

const computers = (count: number) => (count === 1 ? '1 ordinateur' : `${count} ordinateurs`);
const allTaken = (slots: number) => (slots === 1 ? 'et il est pris' : 'et tous sont pris');

export const french: Texts = {
  languageName: 'Français',
  languages: 'Langue',
  error: 'Erreur',
  skip: 'Aller au contenu',
  help: (support) => html`Des questions ? ${support}`,
  supportPage: 'Assistance',
  back: 'Toutes les licences',
  cancel: 'Le garder',
  stop: 'Ne pas obtenir de fichier',
  ask: {
    title: 'Retrouver vos licences',
    lead: 'Consultez vos licences et vos ordinateurs, et libérez un ordinateur que vous n’utilisez plus.',
    field: {
      label: 'Adresse e-mail',
      hint: 'L’adresse que vous avez donnée lors de l’achat.',
      button: 'Recevoir un code',
    },
    privacy:
      'Nous envoyons un code à cette adresse si elle a des licences ici. Cette page est la même pour toutes les adresses.',
    missing: 'Saisissez votre adresse e-mail.',
    invalid: 'Ce n’est pas une adresse e-mail. Elle contient un seul @ et aucun espace, comme ada@example.com.',
    withoutMail: (support) =>
      support === null
        ? html`Demandez un lien vers vos licences à la boutique où vous avez acheté. Écrivez depuis l’adresse que vous avez donnée lors de l’achat.`
        : html`L’assistance vous envoie un lien qui ouvre vos licences. Écrivez depuis l’adresse que vous avez donnée lors de l’achat : ${support}`,
    withoutShop:
      'Ouvrez la page de la boutique où vous avez acheté. Son lien se trouve dans le message qui accompagnait votre licence.',
  },
  code: {
    title: 'Saisir le code',
    lead: 'Si l’adresse a des licences ici, un message avec un code est en route. Cela peut prendre quelques minutes ; regardez aussi dans les courriers indésirables.',
    field: {
      label: 'Code du message',
      hint: '8 caractères, comme K7QW-2MNP. Il est valable 10 minutes, dans ce navigateur seulement.',
      button: 'Se connecter',
    },
    missing: 'Saisissez le code du message.',
    notAccepted: 'Ce code n’est pas accepté. Comparez-le avec le message, ou demandez-en un autre.',
    notAsked: 'Ce navigateur n’a pas demandé de code, ou son code a expiré. Demandez-en un autre.',
    again: 'Demander un autre code',
  },
  link: {
    title: 'Ouvrir vos licences',
    lead: 'Ce lien fonctionne une seule fois et ouvre vos licences dans ce navigateur.',
    button: 'Ouvrir mes licences',
    notAccepted: {
      title: 'Ce lien n’est plus valable',
      text: 'Il a déjà servi, ou il a expiré. Demandez-en un autre à la personne qui l’a envoyé.',
    },
    askForCode: 'Se connecter avec un code par e-mail',
  },
  session: {
    signedInAs: (email) => html`Connecté : ${email}`,
    signOut: 'Se déconnecter',
    signedOut: 'Vous êtes déconnecté.',
    ended: 'Votre session est terminée. Connectez-vous à nouveau.',
  },
  licenses: {
    title: 'Vos licences',
    none: 'Il n’y a pas de licence pour cette adresse ici. Vous avez peut-être acheté avec une autre.',
    open: (product) => html`Ordinateurs et détails<span class="unseen"> de ${product}</span>`,
    sendKeys: (email) => html`Envoyer mes clés à ${email}`,
    keysSent: 'Un message avec vos clés de licence est en route.',
    keysSentLately:
      'Vos clés de licence ont été envoyées il y a peu. Regardez dans vos messages, aussi parmi les indésirables.',
    more: 'Autres licences',
  },
  license: {
    trial: 'Essai',
    bought: 'Achetée le',
    issued: 'Émise le',
    statuses: { active: 'Active', expired: 'Expirée', revoked: 'Retirée' },
    ends: 'Fin',
    ended: 'Terminée le',
    neverEnds: 'Jamais',
    beginsLater: 'Pas encore : la durée commence avec le premier ordinateur',
    slots: 'Ordinateurs',
    slotsUsed(used, slots, isFloating) {
      const atOnce = isFloating ? ' à la fois' : '';
      return slots === null ? `${used}${atOnce}, sans limite` : `${used} sur ${slots}${atOnce}`;
    },
    key: 'Clé de licence',
    showKey: 'Afficher la clé',
    copyKey: 'Copier la clé',
    copied: 'Copiée',
    links: { download: 'Télécharger', renew: 'Renouveler', receipt: 'Reçus' },
    revoked: (support) =>
      html`Cette licence a été retirée. ${support === null ? 'Veuillez vous adresser à la boutique où vous l’avez achetée.' : html`Veuillez écrire à l’assistance : ${support}`}`,
    expired: 'Cette licence a expiré. Les programmes ne l’acceptent plus.',
    updates: 'Mises à jour jusqu’au',
    grace: (day) => html`La période payée est terminée. Les programmes acceptent la licence jusqu’au ${day}.`,
    until: (day) => html` jusqu’au ${day}`,
  },
  newKey: {
    title: 'Une nouvelle clé',
    button: 'Obtenir une nouvelle clé',
    question: (product) => html`Obtenir une nouvelle clé pour ${product} ?`,
    effect:
      'L’ancienne clé ne fonctionne plus sur aucun ordinateur tant que la nouvelle n’y est pas saisie ; certains logiciels la reprennent d’eux-mêmes. Demandez-en une si quelqu’un d’autre connaît votre clé.',
    once: 'C’est possible une fois tous les 30 jours, et vous ne pouvez pas revenir en arrière.',
    keep: 'Garder l’ancienne',
    done: 'Votre licence a une nouvelle clé. Saisissez-la quand un logiciel la demande.',
    doneAndMailed:
      'Votre licence a une nouvelle clé, et un message qui la contient est en route. Saisissez-la quand un logiciel la demande.',
    refused: 'Aucune autre clé n’a été faite : la licence en a déjà une nouvelle, ou n’en reçoit pas ici.',
    spent: (day) =>
      html`Une autre nouvelle clé sera possible ${day === null ? 'plus tard' : html`à partir du ${day}`}.`,
  },
  refusals: {
    title: 'Ordinateurs refusés',
    noSlot: (device, day, slots) =>
      html`${device === null ? 'Un ordinateur' : html`« ${device} »`} a été refusé le ${day} : ${slots === null ? 'tous les ordinateurs de la licence sont pris' : `la licence est pour ${computers(slots)}, ${allTaken(slots)}`}.`,
    because: (device, day, reason) =>
      html`${device === null ? 'Un ordinateur' : html`« ${device} »`} a été refusé le ${day} : ${reason}.`,
    reasons: {
      activation_rate: 'trop d’essais en une heure',
      license_expired: 'la licence avait expiré',
      license_replaced: 'une autre clé avait remplacé celle de la licence',
      license_revoked: 'la licence avait été retirée',
      wrong_product: 'la licence est pour un autre programme',
      machine_not_activated: 'la licence n’y était pas activée',
      invalid_token: 'il devait activer la licence à nouveau',
      token_mismatch: 'il devait activer la licence à nouveau',
      update_not_covered: 'la licence ne couvre pas cette version',
      feature_missing: 'la licence ne comprend pas cette fonction',
      user_required: 'l’application n’a pas dit qui l’utilise',
      user_limit: 'd’autres personnes occupent toutes les places de la licence',
      meter_limit: 'ce que comprend la licence était épuisé',
      meter_not_found: 'la licence ne comprend pas cette fonction',
      request_id_reused: 'le programme a signalé deux fois le même usage',
    },
    worksNow: 'Cela fonctionnerait maintenant : relancez-y le programme.',
    freeOne: 'Libérez un ordinateur que vous n’utilisez plus.',
  },
  devices: {
    title: 'Vos ordinateurs',
    none: 'Aucun ordinateur n’utilise cette licence.',
    unnamed: 'Ordinateur sans nom',
    first: (day) => html`Vu pour la première fois le ${day}`,
    last: (day) => html`Vu pour la dernière fois le ${day}`,
    from: (country) => `(${country})`,
    running: 'En cours d’utilisation',
    free: (device) => html`Libérer « ${device} »`,
    tooNew: 'Il a été ajouté il y a moins d’une heure. Vous pourrez le libérer plus tard.',
    hasFile: (day) =>
      html`Il travaille sans connexion ${day === null ? 'aussi longtemps que la licence' : html`jusqu’au ${day}`}, avec un fichier. Seule l’assistance peut le libérer avant.`,
    spent: (day) => html`Vous pourrez le libérer ${day === null ? 'plus tard' : html`à partir du ${day}`}.`,
    budget: (left, of, day) =>
      html`${left === 0 ? html`Vous pourrez libérer un autre ordinateur ${day === null ? 'plus tard' : html`à partir du ${day}`}` : `Vous pouvez encore libérer ${computers(left)}`} ; la licence en permet ${of} en 30 jours. Un ordinateur qui n’a pas servi pendant 30 jours ne compte pas.`,
    off: 'L’assistance libère les ordinateurs que vous n’utilisez plus.',
    more: 'Cette liste montre 200 des ordinateurs. L’assistance peut aider pour les autres.',
  },
  users: {
    title: 'Utilisateurs',
    machines: (count) => (count === 1 ? 'Un ordinateur' : `${count} ordinateurs`),
    release: (user) => html`Retirer « ${user} »`,
    releaseTitle: 'Retirer un utilisateur',
    question: (user) => html`Retirer « ${user} » ?`,
    effect:
      'La place devient libre pour une autre personne, et les ordinateurs de l’utilisateur n’ont plus la licence.',
    button: 'Retirer cet utilisateur',
    done: 'L’utilisateur a été retiré.',
    refused: 'L’utilisateur n’a pas été retiré. La liste ci-dessous dit pourquoi.',
  },
  release: {
    title: 'Libérer un ordinateur',
    question: (device) => html`Libérer « ${device} » ?`,
    effect: 'Le programme n’y aura plus de licence. Un autre ordinateur peut prendre la place.',
    running: 'Le programme y est en cours d’utilisation. Fermez-le d’abord, sinon il reprend la place.',
    costsNothing: 'Il n’a pas servi pendant 30 jours : cela ne compte donc pas.',
    counts: (left, of) => `Il vous en reste ${left} sur ${of} en 30 jours. Celui-ci en utilise un.`,
    button: 'Libérer cet ordinateur',
    done: 'L’ordinateur est libéré. Lancez maintenant le programme d’abord sur le nouvel ordinateur : l’ancien reprend la place s’il y est lancé.',
    gone: 'L’ordinateur n’est plus dans la liste. Rien n’a été modifié.',
    refused: 'L’ordinateur n’a pas été libéré. La liste dit pourquoi.',
  },
  file: {
    title: 'Un ordinateur sans connexion',
    lead: 'Le programme sur cet ordinateur affiche une demande. Collez-la ici, puis portez sur l’ordinateur le fichier que vous recevez.',
    field: {
      label: 'Demande du programme',
      hint: 'Le texte entier, de la première ligne à la dernière.',
      button: 'Obtenir le fichier',
    },
    missing: 'Collez la demande du programme.',
    notAccepted:
      'Ce n’est pas une demande du programme pour cette licence. Copiez le texte entier, de la première ligne à la dernière.',
    spent: (day) =>
      html`Cette licence a reçu tous ses fichiers pour le moment. ${day === null ? 'L’assistance peut vous aider.' : html`Le prochain est possible à partir du ${day}.`}`,
    refused: (support) =>
      html`La licence ne permet pas de fichier pour cet ordinateur. Libérez d’abord un ordinateur${support === null ? '.' : html`, ou écrivez à l’assistance : ${support}`}`,
    question: (device) => html`Obtenir un fichier pour « ${device} » ?`,
    takes: (day) =>
      html`L’ordinateur prend une place de la licence ${day === null ? 'aussi longtemps que la licence dure' : html`jusqu’au ${day}`}. Vous ne pouvez pas revenir là-dessus avant : seule l’assistance peut libérer l’ordinateur.`,
    keeps: (day) =>
      html`L’ordinateur garde sa place de la licence ${day === null ? 'aussi longtemps que la licence dure' : html`jusqu’au ${day}`}. Vous ne pouvez pas revenir là-dessus avant : seule l’assistance peut libérer l’ordinateur.`,
    counts: (left, of) =>
      `Il vous reste ${left} ${left === 1 ? 'fichier' : 'fichiers'} sur ${of} en 365 jours. Celui-ci en utilise un.`,
    countsNothing: 'L’ordinateur a déjà un fichier : un autre ne compte donc pas.',
    done: (device) => html`Le fichier pour « ${device} » est prêt`,
    take: 'Portez le fichier sur l’ordinateur. Le service ne le conserve pas ; pendant l’année, vous en obtenez ici un autre pour cet ordinateur.',
    save: 'Enregistrer le fichier',
    text: 'Texte du fichier',
    toLicense: 'Ordinateurs de cette licence',
  },
  notices: {
    licenseGone: {
      title: 'Cette licence n’est pas dans votre liste',
      text: 'Elle appartient peut-être à une autre adresse.',
    },
    foreignForm: {
      title: 'Veuillez réessayer ici',
      text: 'Le formulaire ne venait pas de cette page, donc rien n’a été modifié. Ouvrez la page à nouveau et refaites ce que vous vouliez faire.',
    },
    notFound: { title: 'Cette page n’existe pas', text: 'Vérifiez l’adresse, ou recommencez.' },
    badForm: {
      title: 'Lecture impossible',
      text: 'Le formulaire est arrivé endommagé ou était trop long. Rien n’a été modifié.',
    },
    tooMany: {
      title: 'Trop d’essais',
      text: 'Trop de demandes sont venues de votre réseau. Attendez une heure, puis réessayez.',
    },
    busy: {
      title: 'Un instant, s’il vous plaît',
      text: 'Le service a beaucoup à faire. Rien n’a été modifié. Réessayez dans une minute.',
    },
    failed: {
      title: 'Une erreur s’est produite',
      text: 'Le service a échoué. Regardez vos licences avant de réessayer : la modification a peut-être été faite.',
    },
  },
  toStart: 'À la première page',
};
