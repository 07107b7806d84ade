//! The URL of a node. Its path and query often contain a key, and are therefore not shown.

use std::fmt;
use std::str::FromStr;
use ureq::http::Uri;

/// The replacement of hidden parts of a path or a query.
const HIDDEN: &str = "…";
/// The minimum length of a key: shorter parts of a path or a query are words such as `v3`.
const SHORTEST_KEY: usize = 6;

/// The text of a URL on the command line. It is parsed by [`UrlText::url`] and not by clap, which
/// would show the whole text if it is not a URL.
#[derive(Clone)]
pub struct UrlText(String);

impl FromStr for UrlText {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(UrlText(text.to_owned()))
    }
}

impl fmt::Debug for UrlText {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(HIDDEN)
    }
}

impl UrlText {
    /// Parses the URL that is the value of an option.
    ///
    /// Returns an error if the text is not a URL, or its scheme is not supported. The message shows
    /// at most the host.
    pub fn url(&self, option: &str) -> Result<Url, String> {
        Url::parse(&self.0).map_err(|problem| format!("{option}: {problem}"))
    }
}

/// The URL of a node.
#[derive(Clone, PartialEq, Eq)]
pub struct Url(Uri);

impl Url {
    fn parse(text: &str) -> Result<Self, String> {
        const WANTED: &str = "the value is not a URL such as http://localhost:8545";
        let uri: Uri = text.parse().map_err(|_| WANTED)?;
        let authority = uri.authority().ok_or(WANTED)?;
        if authority.as_str().contains('@') {
            return Err("a URL with a user name or a password is not supported".to_owned());
        }
        match uri.scheme_str() {
            Some("https") if !cfg!(feature = "https") => {
                Err("this command was built without TLS: name the node itself by \
                http, or a tunnel to it, as of `ssh -L`, or build it by `cargo install --path crates/gecc-cli --features https`"
                    .to_owned())
            }
            Some("http" | "https") => Ok(Url(uri)),
            _ => Err(WANTED.to_owned()),
        }
    }

    /// Returns the URL for requests.
    pub fn uri(&self) -> &Uri {
        &self.0
    }

    /// Returns the URL of a path below this one, with the same query.
    pub fn below(&self, path: &str) -> String {
        let authority = self
            .0
            .authority()
            .map_or("", |authority| authority.as_str());
        let scheme = self.0.scheme_str().unwrap_or_default();
        let base = self.0.path().trim_end_matches('/');
        let query = self
            .0
            .query()
            .map_or_else(String::new, |query| format!("?{query}"));
        format!("{scheme}://{authority}{base}/{path}{query}")
    }

    /// Removes the parts of the URL that may be a key from an external text, such as a node's
    /// response.
    pub fn without_keys(&self, text: &str) -> String {
        let parts = [self.0.path(), self.0.query().unwrap_or_default()];
        let keys = parts
            .iter()
            .flat_map(|part| part.split(['/', '&', '=', ';', '?']));
        let mut keys: Vec<&str> = keys.filter(|key| key.len() >= SHORTEST_KEY).collect();
        // The longest first, since one may be part of another.
        keys.sort_unstable_by_key(|key| std::cmp::Reverse(key.len()));
        keys.iter()
            .fold(text.to_owned(), |text, key| text.replace(key, HIDDEN))
    }
}

impl fmt::Display for Url {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let scheme = self.0.scheme_str();
        let authority = self.0.authority();
        write!(
            to,
            "{}://{}/",
            scheme.unwrap_or_default(),
            authority.map_or("", |authority| authority.as_str())
        )?;
        if self.0.path().len() > 1 || self.0.query().is_some() {
            to.write_str(HIDDEN)
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let url = Url::parse(text).unwrap();
        format!("{url} {url:?}")
    }

    #[test]
    fn urls_of_nodes_show_their_host_only() {
        assert_eq!(
            shown("http://localhost:8545"),
            "http://localhost:8545/ http://localhost:8545/"
        );
        for text in [
            "http://node/v1/0123456789abcdef",
            "http://node/?apikey=0123456789abcdef",
            "http://node/0123456789abcdef#a",
        ] {
            assert_eq!(shown(text), "http://node/… http://node/…");
        }
        assert_eq!(Url::parse("https://node").is_ok(), cfg!(feature = "https"));
        for text in [
            "0123456789abcdef:8545",
            "ftp://node/0123456789abcdef",
            "http://",
            "http://me:0123456789abcdef@node",
            "http://node/b c",
        ] {
            let text: UrlText = text.parse().unwrap();
            let problem = text.url("--rpc-url").unwrap_err();
            assert!(
                problem.starts_with("--rpc-url: ") && !problem.contains("0123456789abcdef"),
                "{problem}"
            );
            assert!(!format!("{text:?}").contains("0123456789abcdef"));
        }
    }

    #[test]
    fn keys_are_removed_from_external_texts() {
        let url = Url::parse("http://node/v1/0123456789abcdef?token=secret-token&a=b").unwrap();
        let text = "v1: no project 0123456789abcdef (secret-token), a";
        assert_eq!(url.without_keys(text), "v1: no project … (…), a");
        assert_eq!(Url::parse("http://node").unwrap().without_keys(text), text);
        assert_eq!(
            url.below("rest/a"),
            "http://node/v1/0123456789abcdef/rest/a?token=secret-token&a=b"
        );
        assert_eq!(
            Url::parse("http://node:8332").unwrap().below("rest/a"),
            "http://node:8332/rest/a"
        );
    }
}
