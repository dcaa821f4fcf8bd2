//! Layers of a request, and the tokens and money that it used.

use std::fmt::{self, Display, Formatter};
use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::BlobId;

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct LayerSize {
    /// Its name: `static`, `dynamic`, `buffered` or `trigger`.
    pub name: String,
    /// The number of its tokens, estimated.
    pub tokens: u64,
    /// The hash of its content.
    pub hash: String,
    /// True if the provider has it cached.
    pub cached: bool,
    /// The blobs with its text, in order: each is a content, a list of contents, or the list of
    /// the declarations, as JSON. Parts that several requests have are one blob.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<BlobId>,
}

/// The tokens of a request and its answer, as the provider counts them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Usage {
    /// The tokens that were sent, including those from the cache.
    #[serde(default)]
    pub prompt: u64,
    /// The tokens of them that the provider had cached.
    #[serde(default)]
    pub cached: u64,
    /// The tokens of the answer.
    #[serde(default)]
    pub candidates: u64,
    /// The tokens of the model's thoughts.
    #[serde(default)]
    pub thoughts: u64,
    /// All of it, as the provider says.
    #[serde(default)]
    pub total: u64,
    /// The price, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Cost {
    /// The amount.
    pub amount: f64,
    /// The currency, such as `USD`.
    pub currency: String,
}

/// The model that a node has asked, and the tokens and money that it used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct NodeModel {
    /// Its name.
    pub model: String,
    /// Tokens and money, of all attempts.
    #[serde(default)]
    pub usage: Usage,
    /// The session of the run of the agent, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl Display for Cost {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4} {}", self.amount, self.currency)
    }
}

impl NodeModel {
    /// Adds another run.
    pub fn add(&mut self, other: &Self) {
        self.model.clone_from(&other.model);
        self.session.clone_from(&other.session);
        self.usage += &other.usage;
    }
}

impl Usage {
    /// The cached tokens of a hundred that were sent.
    pub const fn cached_percent(&self) -> u64 {
        match self.cached.saturating_mul(100).checked_div(self.prompt) {
            Some(percent) => percent,
            None => 0,
        }
    }
}

impl AddAssign<&Self> for Usage {
    /// Adds another request. The sum of two currencies has no cost.
    fn add_assign(&mut self, other: &Self) {
        let is_first = *self == Self::default();
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.cached = self.cached.saturating_add(other.cached);
        self.candidates = self.candidates.saturating_add(other.candidates);
        self.thoughts = self.thoughts.saturating_add(other.thoughts);
        self.total = self.total.saturating_add(other.total);
        self.cost = match (self.cost.take(), &other.cost) {
            (None, Some(cost)) if is_first => Some(cost.clone()),
            (Some(sum), Some(cost)) if sum.currency == cost.currency => Some(Cost {
                amount: sum.amount + cost.amount,
                currency: sum.currency,
            }),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt: u64, cached: u64, cost: Option<(f64, &str)>) -> Usage {
        Usage {
            prompt,
            cached,
            cost: cost.map(|(amount, currency)| Cost {
                amount,
                currency: currency.to_owned(),
            }),
            ..Usage::default()
        }
    }

    #[test]
    fn the_cached_share_is_a_percentage() {
        assert_eq!(usage(0, 0, None).cached_percent(), 0);
        assert_eq!(usage(200, 150, None).cached_percent(), 75);
    }

    #[test]
    fn a_sum_has_a_cost_if_each_part_has_one_in_the_same_currency() {
        let sum = |costs: &[Option<(f64, &str)>]| {
            let mut sum = Usage::default();
            for cost in costs {
                sum += &usage(10, 0, *cost);
            }
            sum.cost.map(|cost| cost.amount)
        };
        assert_eq!(sum(&[Some((1.0, "USD")), Some((0.5, "USD"))]), Some(1.5));
        assert_eq!(sum(&[Some((1.0, "USD")), Some((0.5, "EUR"))]), None);
        assert_eq!(sum(&[None, Some((0.5, "EUR"))]), None);
        assert_eq!(sum(&[Some((0.5, "EUR")), None, Some((0.5, "EUR"))]), None);
    }
}
