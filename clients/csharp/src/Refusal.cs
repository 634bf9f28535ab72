using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace Latchkey
{
    /// <summary>A refusal by the service.</summary>
    internal sealed class Refusal
    {
        private const string OfSessions =
            "license_not_found license_replaced license_revoked license_expired machine_not_activated "
            + "invalid_token token_mismatch";

        private static readonly Dictionary<string, string> CodesOf = new Dictionary<string, string>
        {
            {
                "/activate",
                "license_not_found license_replaced license_revoked license_expired wrong_product "
                + "update_not_covered machine_limit activation_rate user_required user_limit"
            },
            {
                "/startTrial",
                "product_not_found variant_not_found product_archived trial_not_offered trial_rate trial_over "
                + "license_replaced license_revoked update_not_covered machine_limit activation_rate user_required user_limit"
            },
            { "/consume", OfSessions + " meter_limit meter_not_found request_id_reused" },
            { "/validate", OfSessions + " update_not_covered" },
            { "/heartbeat", OfSessions },
            { "/deactivate", OfSessions },
            { "/issueLicenseFile", OfSessions + " license_files_not_offered" },
            {
                "/verify",
                "license_not_found license_replaced license_revoked license_expired wrong_product update_not_covered"
            },
        };

        private static readonly Dictionary<string, Form> Forms = new Dictionary<string, Form>
        {
            { "license_not_found", new Form("License not found", 404) },
            { "license_replaced", new Form("License was replaced by another key", 403) },
            { "license_revoked", new Form("License has been revoked", 403) },
            { "license_expired", new Form("License has expired", 403) },
            { "wrong_product", new Form("License is for a different product", 403) },
            {
                "machine_limit",
                new Form("Machine limit reached \\(([0-9]{1,9})\\)\\. Deactivate another machine first\\.", 403)
            },
            { "machine_not_activated", new Form("Machine not activated", 403, 404) },
            { "activation_rate", new Form("Too many activation attempts\\. Try again later\\.", 429) },
            { "invalid_token", new Form("Invalid (?:or expired )?token", 401) },
            { "token_mismatch", new Form("Token mismatch", 401) },
            { "license_files_not_offered", new Form("License files are not offered for this license", 403) },
            { "update_not_covered", new Form("License does not cover this version", 403) },
            { "trial_not_offered", new Form("This product offers no trial", 403) },
            { "trial_over", new Form("Trial has ended", 403) },
            {
                "trial_rate",
                new Form("Too many trials (?:from your network|of this product)\\. Try again later\\.", 429)
            },
            { "product_not_found", new Form("Product not found", 404) },
            { "variant_not_found", new Form("Variant not found", 404) },
            { "product_archived", new Form("Product is archived", 409) },
            { "meter_limit", new Form("Usage limit reached", 403) },
            { "meter_not_found", new Form("Meter not found", 404) },
            { "request_id_reused", new Form("requestId was used for other units", 422) },
            { "user_required", new Form("User required", 400) },
            { "user_limit", new Form("User limit reached \\(([0-9]{1,9})\\)", 403) },
            { "missing_fields", new Form("Missing [A-Za-z0-9_ ,()]+", 400) },
            { "invalid_field", new Form(null, 400) },
        };

        internal readonly string Code;
        internal readonly string Text;

        /// <summary>All fields of the answer.</summary>
        internal readonly Fields Fields;

        /// <summary>The pause of refusals that end by waiting, in milliseconds; null for others.</summary>
        internal readonly long? RetryAfter;

        internal Refusal(string code, string text, Fields fields, long? retryAfter = null)
        {
            Code = code;
            Text = text;
            Fields = fields;
            RetryAfter = retryAfter;
        }

        /// <summary>
        /// The status and the text that identify a refusal without the header Latchkey-Code. A form without a text does
        /// not distinguish it from another program's.
        /// </summary>
        private sealed class Form
        {
            internal readonly int[] Statuses;
            internal readonly Regex Text;

            internal Form(string text, params int[] statuses)
            {
                Statuses = statuses;
                Text = text == null ? null : new Regex("^(?:" + text + ")\\z");
            }
        }

        /// <summary>
        /// The refusal in an answer; null if it is not one that this client knows. The header Latchkey-Code names a
        /// refusal, and then its text may be any. Without the header, as from another server with the same protocol,
        /// the status and the text must be those of a refusal that the service gives at this endpoint. Any other answer
        /// counts as an outage, and an outage stops nobody.
        /// </summary>
        internal static Refusal In(string endpoint, TransportAnswer answer, Fields body)
        {
            if (body == null || !false.Equals(body.Get(Replies.FlagOf(endpoint)))) return null;
            if (answer.Status < 400 || answer.Status > 499) return null;
            var text = body.Text("error") ?? "";
            var code = CodeIn(endpoint, answer, text);
            if (code == null) return null;
            var retryAfter = EndsByWaiting(code) ? RetryAfterIn(answer) ?? Times.Minute : (long?)null;
            return new Refusal(code, text, body, retryAfter);
        }

        /// <summary>
        /// The header Retry-After in milliseconds, at most an hour, so that a broken answer cannot silence an app for
        /// good.
        /// </summary>
        internal static long? RetryAfterIn(TransportAnswer answer)
        {
            var text = (answer.Header("Retry-After") ?? "").Trim();
            if (!Regex.IsMatch(text, "^[0-9]+\\z")) return null;
            var seconds = double.Parse(text, CultureInfo.InvariantCulture);
            return (long)Math.Min(seconds * Times.Second, Times.Hour);
        }

        /// <summary>The refusal as apps get it.</summary>
        internal RefusedException AsException()
        {
            return new RefusedException(Code, Text)
            {
                Limit = Limit(),
                RetryAfter = RetryAfter == null ? (TimeSpan?)null : TimeSpan.FromMilliseconds(RetryAfter.Value),
                ResetsAt = Code == "meter_limit" ? Times.DateIn(Fields.Text("resetsAt")) : null,
            };
        }

        /// <summary>The number in the text of machine_limit and user_limit; null without one.</summary>
        private long? Limit()
        {
            if (Code != "machine_limit" && Code != "user_limit") return null;
            var found = Forms[Code].Text.Match(Text);
            return found.Success ? long.Parse(found.Groups[1].Value, CultureInfo.InvariantCulture) : (long?)null;
        }

        private static bool EndsByWaiting(string code)
        {
            return code == "activation_rate" || code == "trial_rate";
        }

        private static string CodeIn(string endpoint, TransportAnswer answer, string text)
        {
            var named = answer.Header("Latchkey-Code");
            if (named != null) return Forms.ContainsKey(named) ? named : null;
            return CodesOf[endpoint].Split(' ').Concat(new[] { "missing_fields" }).FirstOrDefault(code =>
            {
                var form = Forms[code];
                return form.Statuses.Contains(answer.Status) && form.Text.IsMatch(text);
            });
        }
    }
}
